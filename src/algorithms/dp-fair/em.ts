import { MoietyError } from "../../errors.js";
import { termsOf } from "../../kernels/mixture-rows.js";
import { type MixtureSite, type Noise, sumsUnit } from "../../parties/mixture-site.js";
import type { Group } from "../../parties/questions.js";
import type { Progress } from "../types.js";
import { type Component, type ComponentRules, componentsFrom, type Mixture, mixtureOf, split } from "./mixture.js";
import { mixture as mixtureQuestion } from "./questions.js";

export interface Fit {
  readonly dims: number;
  /** The most components. */
  readonly components: number;
  readonly people: number;
  /** A seeded normal draw, for the directions of splits. */
  readonly normal: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onRound?: ((round: number, logLikelihood: number) => void) | undefined;
}

/** A listener for rounds of a fit. There are no clusters before its end, hence no SSE to report. */
export function reportRounds(passes: number, onProgress?: (progress: Progress) => void): NonNullable<Fit["onRound"]> {
  return (pass) => onProgress?.({ phase: "mixture", start: 0, starts: 1, pass, passes, sse: Number.NaN, violation: 0 });
}

export interface Fitted {
  readonly mixture: Mixture;
  readonly rounds: number;
  readonly converged: boolean;
}

/** Sums over all parties. In a federation this is where masks cancel. */
export async function sumsOver(
  group: Group<MixtureSite>,
  { theta, components }: { theta: Float64Array; components: number },
  { people, hard, number }: { people: number; hard: boolean; number: number },
): Promise<{ sums: Float64Array; logLikelihood: number }> {
  const { sums, logLikelihood } = await group.ask(mixtureQuestion, { theta, components, hard, people, number });
  const unit = sumsUnit(hard, people);
  return { sums: sums.map((value) => value * unit), logLikelihood: logLikelihood[0] * unit };
}

/** Everybody in one component: where every fit begins. */
export function everybody(dims: number): { theta: Float64Array; components: number } {
  return { theta: new Float64Array(termsOf(dims)), components: 1 };
}

const plainRules: ComponentRules = { ridge: 1e-3, eigenvalues: null, fewest: 1 };
/** EM stops when a round raises the mean log likelihood by less. */
const leastGain = 1e-3;

/**
 * EM (section 4.2) in the clear. The mixture grows from one component by splitting, one round for each doubling: sums are
 * all that it needs of the people, so rows may lie with any number of parties, and it starts from nobody's record.
 */
export async function fitMixture(group: Group<MixtureSite>, fit: Fit, maxRounds: number): Promise<Fitted> {
  const { dims, people } = fit;
  let round = 0;
  const ask = async (mixture: { theta: Float64Array; components: number }, hard: boolean) => {
    stopIfAsked(fit);
    const answer = await sumsOver(group, mixture, { people, hard, number: round });
    round++;
    fit.onRound?.(round, hard ? Number.NaN : answer.logLikelihood / people);
    return answer;
  };
  let components = componentsFrom((await ask(everybody(dims), true)).sums, dims, plainRules);
  while (components.length < fit.components) {
    const before = components.length;
    const mixture = mixtureOf(dims, split(components, dims, fit.components, fit.normal));
    components = componentsFrom((await ask(asked(mixture), true)).sums, dims, plainRules);
    // With hardly more distinct people than components, splitting makes no more components.
    if (components.length <= before) break;
  }
  let last = Number.NEGATIVE_INFINITY;
  for (let step = 0; step < maxRounds; step++) {
    const { sums, logLikelihood } = await ask(asked(mixtureOf(dims, components)), false);
    components = componentsFrom(sums, dims, plainRules);
    const gained = logLikelihood / people - last;
    last = logLikelihood / people;
    if (gained < leastGain) return { mixture: mixtureOf(dims, components), rounds: round, converged: true };
  }
  return { mixture: mixtureOf(dims, components), rounds: round, converged: false };
}

/** How noisy each round of the private fit is. */
export interface PrivateRounds {
  readonly rounds: number;
  readonly noise: Noise | null;
  /** Deviation of the noise on a component's count, in people. */
  readonly countDeviation: number;
  /** And on each coordinate of its sum, in people at the border of the box. */
  readonly sumDeviation: number;
}

/** Rounds after the last split that GMDP takes by default. */
const settlingRounds = 4;

/** One round for a single component, one for each doubling, and those that follow. */
export function roundsFor(components: number, settling = settlingRounds): number {
  return 1 + Math.ceil(Math.log2(components)) + settling;
}

/**
 * GMDP: EM with hard assignment and noise on the sums, for a number of rounds that is fixed beforehand. See NOTES.md for
 * the proof. Nothing but the noisy sums is looked at: dead components are replaced by splitting others.
 */
export async function fitPrivately(
  group: Group<MixtureSite>,
  fit: Fit,
  { rounds, countDeviation }: PrivateRounds,
): Promise<Fitted> {
  const { dims, people } = fit;
  const rules: ComponentRules = {
    ridge: 0,
    eigenvalues: { least: 0.01, most: 1 },
    // A smaller noisy count may be of nobody.
    fewest: Math.max(2, 3 * countDeviation),
  };
  let mixture: { theta: Float64Array; components: number } = everybody(dims);
  let components: Component[] = [];
  for (let round = 0; round < rounds; round++) {
    stopIfAsked(fit);
    const { sums } = await sumsOver(group, mixture, { people, hard: true, number: round });
    components = componentsFrom(sums, dims, rules);
    if (components.length === 0) {
      throw new MoietyError(
        "infeasible",
        "the noise is larger than every cell of people; use a larger `epsilon`, fewer `components`, or more people",
      );
    }
    fit.onRound?.(round + 1, Number.NaN);
    if (round + 1 < rounds && components.length < fit.components) {
      components = split(components, dims, fit.components, fit.normal);
    }
    mixture = asked(mixtureOf(dims, components));
  }
  return { mixture: mixtureOf(dims, components), rounds, converged: true };
}

function asked({ theta, components }: Mixture): { theta: Float64Array; components: number } {
  return { theta, components: components.length };
}

export function stopIfAsked({ signal }: Fit): void {
  if (signal?.aborted) throw new MoietyError("cancelled", "stopped before the end");
}
