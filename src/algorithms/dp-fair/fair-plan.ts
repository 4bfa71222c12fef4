import { MoietyError } from "../../errors.js";
import { censusWidth, type MixtureTerms, type Noise } from "../../parties/mixture-site.js";
import { usualDelta } from "../../privacy/accounting/ledger.js";
import { concentrated, nothing, pure, rhoWithin, sequential } from "../../privacy/accounting/loss.js";
import { gaussianVariance } from "../../privacy/noise/gaussian.js";
import { laplaceScale, laplaceVariance } from "../../privacy/noise/laplace.js";
import { gaussianSlack, type Sharing } from "../../privacy/noise/noise-shares.js";
import type { PlannedPeople } from "../method.js";
import { type PrivateRounds, roundsFor } from "./em.js";
import type { MergeOptions } from "./merging.js";
import {
  budgetOfLloyd,
  checkBounds,
  checkEpsilon,
  dimensionsOf,
  gaussianOn,
  noisyRounds,
  round,
} from "./noisy-rounds.js";
import type { PrivacyOptions } from "./privacy-options.js";
import type { PrivacyCosts } from "./statement.js";
import type { BalanceRule } from "./tight-clusters.js";

/** The part of the whole budget for counting groups, unless the user says otherwise. */
const labelPart = 0.25;
/** A person counts for so much in a census with Gaussian noise, which is then fine-grained. */
const censusUnit = 2 ** 10;

/** So many deviations of the noise on a cluster's count are its margin: NOTES.md has the trials, `bench dp-fair-balance` its figures. */
const marginDeviations = 2;
/**
 * A mean cell has so many people of a group of even share for each unit of the noise's scale. With fewer people to a cell, clusters
 * fit the noise; with more, they are less tight than they could be: see NOTES.md.
 */
const peoplePerScale = 15;
/** Exchanges of cells are tried in pairs: more cells take long, and gain little. */
const mostCells = 400;

/** How cells become clusters. */
export type FairForm =
  /** As tight as a balance that is enough allows. */
  | ({ readonly kind: "tight" } & BalanceRule)
  /** The paper's: by density and balance. */
  | ({
      readonly kind: "paper";
      readonly refine: "auto" | "on" | "off";
      readonly labelling: "nearest" | "density";
    } & MergeOptions);

/** A plan of dp-fair. */
export interface FairPlan extends PrivacyCosts {
  readonly epsilon: number;
  readonly components: number;
  readonly form: FairForm;
  /** The rounds of the private fit; null where features are not private. */
  readonly rounds: PrivateRounds | null;
  readonly census: {
    readonly noise: Noise | null;
    readonly unit: number;
    /** Deviation of the noise on one count, in people. */
    readonly deviation: number;
    /** Where sizes are known, two groups are one count. */
    readonly secondOnly: boolean;
  };
}

/** What the plan lets a site be asked. Without noise there may be any number of rounds. */
export function termsOf({ mode, rounds, census }: FairPlan, k: number): MixtureTerms {
  const noiseAt = (question: number) => {
    if (!rounds) return null;
    return question < rounds.rounds ? rounds.noise : undefined;
  };
  return { k, featuresArePublic: mode === "attribute", noiseAt, census };
}

/** What a plan of dp-fair is asked for: even sizes are a wish here. */
export interface FairOptions extends PrivacyOptions {
  readonly balance?: number | "hard" | undefined;
}

/** Throws "usage" on options that make no sense together, saying what would fit. */
export function fairPlanOf(
  people: PlannedPeople,
  ks: readonly number[],
  options: FairOptions,
  sharing: Sharing,
): FairPlan {
  const { epsilon } = options;
  if (epsilon === undefined) {
    throw new MoietyError(
      "usage",
      "dp-fair needs an epsilon: give `epsilon: 1`, or `epsilon: inf` for no privacy at all",
    );
  }
  checkEpsilon(epsilon);
  const mode = options.private ?? "attribute";
  checkPeople(people, mode);
  const form = formOf(options);
  if (people.split === "columns" && form.kind === "paper") {
    throw new MoietyError(
      "usage",
      "`lambda` asks for the paper's form of dp-fair, which needs densities over all columns in one place: leave it out where columns are split",
    );
  }
  const common = {
    mode,
    epsilon,
    components: componentsFor(people, Math.max(...ks), mode, form, options),
    form,
    lambda: form.kind === "paper" ? form.lambda : null,
    balanceTarget: form.kind === "tight" ? form.target : null,
  };
  const modelAlone = people.atSites && people.split === "columns" ? ({ modelAlone: true } as const) : {};
  return mode === "attribute"
    ? { ...common, ...aboutAttributes(people, epsilon, options, sharing) }
    : { ...common, ...modelAlone, ...aboutEverything(people, common.components, epsilon, options, sharing) };
}

function checkPeople(people: PlannedPeople, mode: "attribute" | "all"): void {
  const { attributes } = people;
  if (attributes.length === 0) {
    throw new MoietyError("usage", "dp-fair needs protected attributes: name them with `protect`");
  }
  const single = attributes.find(({ groups }) => groups.length < 2);
  if (single) {
    throw new MoietyError(
      "input",
      `attribute '${single.name}' has one group only, so there is nothing to balance: leave it out of \`protect\``,
    );
  }
  if (mode === "all") checkBounds(people);
}

/** `lambda` asks for the paper's form, and all that belongs to it. */
function formOf({ lambda, balanceTarget, minCellShare, refine, labelling, balance }: FairOptions): FairForm {
  if (lambda === undefined) {
    for (const [name, value] of Object.entries({ minCellShare, refine, labelling })) {
      if (value === undefined) continue;
      throw new MoietyError(
        "usage",
        `\`${name}\` belongs to the paper's form of dp-fair: leave it out, or add \`lambda: 10\``,
      );
    }
    const target = within("the balance target", balanceTarget ?? usualTarget, 0, 0.99);
    // Teb-means' eta: eta SSE + (1 - eta) balance loss is the SSE plus so much of the latter. Settings have checked it.
    const uneven = typeof balance === "number" ? (1 - balance) / balance : 0;
    return { kind: "tight", target, deviations: marginDeviations, uneven };
  }
  if (balance !== undefined) {
    throw new MoietyError(
      "usage",
      "`lambda` asks for the paper's form of dp-fair, which knows no `balance` of sizes: leave out one of them",
    );
  }
  if (balanceTarget !== undefined) {
    throw new MoietyError(
      "usage",
      "`lambda` asks for the paper's form of dp-fair, which knows no `balanceTarget`: leave out one of them",
    );
  }
  return {
    kind: "paper",
    lambda: within("lambda", lambda, 0, Number.MAX_VALUE),
    smallest: within("the smallest cell share", minCellShare ?? 0.02, 0, 0.5),
    refine: refine ?? "auto",
    labelling: labelling ?? "nearest",
  };
}

/** The balance that is enough unless the user says otherwise. */
const usualTarget = 0.8;

/** The numbers that matter are public: with "all" even the number of people is private, and decides nothing. */
function usualCells(
  { n, attributes, atSites }: PlannedPeople,
  mode: "attribute" | "all",
  { kind }: FairForm,
  epsilon: number,
): number {
  if (mode === "all") return 16;
  // Sums over a cell leave the sites without noise: their cells stay as few as in the paper's form.
  if (kind === "paper" || atSites) return Math.min(40, Math.round(4 * n ** 0.25));
  const groups = Math.max(...attributes.map((attribute) => attribute.groups.length));
  return Math.min(mostCells, Math.floor(n / ((peoplePerScale * groups * sensitivityOf(attributes)) / epsilon)));
}

function componentsFor(
  people: PlannedPeople,
  k: number,
  mode: "attribute" | "all",
  form: FairForm,
  { components: asked, epsilon }: PrivacyOptions,
): number {
  const usual = Math.max(3 * k, usualCells(people, mode, form, epsilon!));
  const components = asked ?? (mode === "all" ? usual : Math.max(k, Math.min(usual, Math.floor(people.n / 5))));
  if (!(Number.isInteger(components) && components >= k && components <= 1000)) {
    throw new MoietyError(
      "usage",
      `${components} components cannot be merged into k=${k} clusters: give a whole number from ${k} to 1000`,
    );
  }
  return components;
}

function within(name: string, value: number, least: number, most: number): number {
  if (value >= least && value <= most) return value;
  const limit = most === Number.MAX_VALUE ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new MoietyError("usage", `${name} is ${value}: give a number ${limit}`);
}

function aboutAttributes(people: PlannedPeople, epsilon: number, options: PrivacyOptions, sharing: Sharing) {
  for (const name of ["deltaDp", "epsilonLabel"] as const) {
    if (options[name] === undefined) continue;
    throw new MoietyError("usage", `\`${name}\` belongs to \`private: all\`: leave it out, or add that`);
  }
  if (epsilon === Number.POSITIVE_INFINITY) {
    return { delta: 0, rounds: null, census: { ...quiet, secondOnly: true }, loss: nothing, parts: [] };
  }
  const scale = laplaceScale(sensitivityOf(people.attributes), epsilon);
  const noise: Noise = { kind: "laplace", scale, sharing };
  const loss = pure(epsilon);
  const mechanism = `discrete Laplace, scale ${round(Number(scale.numerator) / Number(scale.denominator))}`;
  return {
    delta: 0,
    rounds: null,
    census: { noise, unit: 1, deviation: Math.sqrt(laplaceVariance(scale)), secondOnly: true },
    loss,
    parts: [{ what: "groups in each cell", mechanism, loss }],
  };
}

/** A person who changes groups changes one count of an attribute of two groups (the other follows), else two. */
function sensitivityOf(attributes: PlannedPeople["attributes"]): number {
  return attributes.reduce((sum, { groups }) => sum + (groups.length === 2 ? 1 : 2), 0);
}

const quiet = { noise: null, unit: 1, deviation: 0 } as const;

function aboutEverything(
  people: PlannedPeople,
  components: number,
  epsilon: number,
  { deltaDp: delta = usualDelta, epsilonLabel }: PrivacyOptions,
  sharing: Sharing,
) {
  const rounds = roundsFor(components);
  if (epsilon === Number.POSITIVE_INFINITY) {
    const census = { ...quiet, secondOnly: false };
    return {
      delta: 0,
      rounds: { rounds, noise: null, countDeviation: 0, sumDeviation: 0 },
      census,
      loss: nothing,
      parts: [],
    };
  }
  const total = rhoWithin({ epsilon, delta });
  if (epsilonLabel !== undefined && !(epsilonLabel > 0)) {
    throw new MoietyError("usage", `\`epsilonLabel\` is ${epsilonLabel}: give a number above 0, such as 0.1`);
  }
  const label = epsilonLabel === undefined ? labelPart * total : epsilonLabel ** 2 / 2;
  if (label >= total) {
    const most = Math.floor(Math.sqrt(2 * total) * 1000) / 1000;
    throw new MoietyError(
      "usage",
      `\`epsilonLabel: ${epsilonLabel}\` leaves nothing of epsilon ${epsilon} at delta ${delta} for the mixture: below ${most} fits, and about ${round(most / 2)} is sane`,
    );
  }
  const asked = { rounds, components, ...dimensionsOf(people), rho: total - label };
  const fit =
    people.split === "columns"
      ? noisyRounds("centres of cells", asked, sharing, budgetOfLloyd)
      : noisyRounds("mixture", asked, sharing);
  const { variance, deviation } = censusNoise(people.attributes.length, label);
  const values = components * censusWidth(people.attributes, false);
  const parts = [
    fit.part,
    {
      what: "groups in each cell",
      mechanism: gaussianOn(deviation),
      loss: concentrated(label, values * gaussianSlack(variance, sharing)),
    },
  ];
  const noise: Noise = { kind: "gaussian", variances: [variance], sharing };
  return {
    delta,
    rounds: fit.rounds,
    census: { noise, unit: censusUnit, deviation, secondOnly: false },
    loss: sequential(...parts.map((part) => part.loss)),
    parts,
  };
}

/** One more person adds 1 to one count of each attribute. */
function censusNoise(attributes: number, rho: number) {
  const variance = gaussianVariance(attributes * censusUnit ** 2, rho);
  return { variance, deviation: Math.sqrt(Number(variance)) / censusUnit };
}

/** What the noise will do to people as few as these, where that is much. */
export function doubts(plan: FairPlan, people: Pick<PlannedPeople, "n" | "dimensions">): string[] {
  const { rounds, census, components } = plan;
  const perCell = people.n / components;
  const found: string[] = [];
  const dims = people.dimensions.length;
  if (rounds?.noise) {
    // The deviation of a mean's coordinate: noise on the sum over the cell's people.
    const centre = rounds.sumDeviation / perCell;
    if (centre > 0.1) {
      found.push(
        `n=${people.n} is few for epsilon ${plan.epsilon}: the noise moves each of ${components} centres by about ${round(centre * Math.sqrt(dims))} where the whole box is 2 wide; use more people, a larger \`epsilon\` or fewer \`components\``,
      );
    }
  }
  const relative = census.deviation / (perCell / 2);
  if (relative > 0.2) {
    found.push(
      `n=${people.n} is few for this epsilon: expect errors of about ${round(census.deviation)} people in cells of about ${Math.round(perCell)}, so balances may be off by ${round(Math.min(1, relative))}`,
    );
  }
  return found;
}
