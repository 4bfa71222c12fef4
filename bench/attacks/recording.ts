import { resolveBounds } from "../../src/constraints/resolve-bounds.js";
import { scoreRange } from "../../src/federation/party/columns/joint-columns.js";
import { openLanes } from "../../src/kernels/lanes.js";
import type { Grid } from "../../src/parties/grid.js";
import type { LocalColumns } from "../../src/parties/local-columns.js";
import { splitColumns } from "../../src/parties/split.js";
import type { Scale } from "../../src/privacy/blinding/pass.js";
import { Assigner } from "../../src/solver/assigner.js";
import { lloyd } from "../../src/solver/lloyd.js";
import { localDecider } from "../../src/solver/local-deciders.js";
import { seedCentres } from "../../src/solver/seeding.js";
import type { DistanceName } from "../../src/table/distance.js";
import { Random } from "../../src/table/generators/random.js";
import { generateTable, preparePeople } from "../../src/table/index.js";

/** The tables that the parties of a real run sent, pass by pass, and what the attacker is after. */
export interface Recording {
  readonly n: number;
  readonly k: number;
  /** [pass][party]: scores, whole numbers, [n][k]. */
  readonly passes: readonly (readonly Float64Array[])[];
  /** Of each pass: how its scores are told to whoever blinds them, as jobs do. */
  readonly scales: readonly Scale[];
  /** The columns in the scaled space, first those of the first party. */
  readonly columns: readonly Float64Array[];
  /** How many of them the first party holds. */
  readonly firstHolds: number;
  /** The protected group of each person, which the first party holds. */
  readonly groups: Uint16Array;
  /** Where places are given: the centres, in the scaled space, which everybody knows. */
  readonly places?: readonly Float64Array[];
}

export type RecordedKind = "lloyd" | "fair" | "polish" | "places";

const features = ["age", "education", "hours", "income", "balance", "debts"];
const parties = 2;

/**
 * Two parties with half of the columns each: passes of Lloyd over them, of the search for prices that make the clusters fair to
 * the ethnicities, which the first party knows, or of polishing, where clusters are forbidden to those whom a limit keeps out. Or one
 * pass to the nearest of given places, which are where some people are.
 */
export async function recordRun(
  { n, k, passes, seed, distance, held = features.length }: RecordedRun,
  kind: RecordedKind,
): Promise<Recording> {
  const used = features.slice(0, held);
  const people = preparePeople(generateTable("people", { n, seed }), { features: used, protect: ["ethnicity"] });
  const bounds = resolveBounds(people.attributes, { delta: 0.1 });
  const promises = { bounds, tolerance: 1, sizes: { min: 2, max: n } };
  const columns = splitColumns(people, parties, openLanes(1), promises);
  const assigner = await Assigner.open(localDecider(columns), k, undefined, distance);
  await seedCentres(assigner, { init: "random", seed });
  const places = kind === "places" ? somePlaces(people.dimensions, k, seed) : undefined;
  if (places) placeCentres(columns, places);
  else if (kind !== "lloyd") await lloyd(assigner, passes);
  const recorded: Float64Array[][] = [];
  const scales: Scale[] = [];
  columns.forEach((party, at) => {
    const answer = party.scores.bind(party);
    party.scores = async (range) => {
      const table = await answer(range);
      if (at === 0) {
        recorded.push([]);
        scales.push(scaleOf(party, kind, assigner.grid));
      }
      recorded[recorded.length - 1][at] = table.slice();
      return table;
    };
  });
  if (kind === "fair") await queryPrices(assigner, passes);
  else if (kind === "polish") await polish(assigner, passes);
  else await lloyd(assigner, passes);
  return {
    n,
    k,
    passes: recorded.slice(0, passes),
    scales: scales.slice(0, passes),
    columns: people.dimensions.map((column) => Float64Array.from(column)),
    firstHolds: held / parties,
    ...(places ? { places } : {}),
    groups: people.attributes[0].codes,
  };
}

/** What is recorded; `held` is how many columns there are, all of them where it does not say. */
interface RecordedRun {
  readonly n: number;
  readonly k: number;
  readonly passes: number;
  readonly seed: number;
  readonly distance: DistanceName;
  readonly held?: number;
}

/** Where k people are who are not the first ones. */
function somePlaces(dimensions: readonly ArrayLike<number>[], k: number, seed: number): Float64Array[] {
  const chance = new Random(seed, 11);
  const n = dimensions[0].length;
  const chosen = Array.from({ length: k }, () => n - 1 - Math.floor(chance.uniform() * (n / 2)));
  return chosen.map((person) => Float64Array.from(dimensions, (column) => column[person]));
}

function placeCentres(columns: readonly LocalColumns[], places: readonly Float64Array[]): void {
  const each = places[0].length / columns.length;
  columns.forEach((party, at) => {
    party.setScaledCentres(places.flatMap((place) => Array.from(place.subarray(at * each, (at + 1) * each))));
  });
}

/** The first queries of the search that every fair run makes. */
async function queryPrices(assigner: Assigner, queries: number): Promise<void> {
  const unit = ((await assigner.sse()) / assigner.n) * assigner.scoreUnit;
  await assigner.columns.restartPrices(0.1 * unit, 0.5);
  for (let query = 0; query < queries; query++) {
    await assigner.prepare({ kind: "priced", unit });
    await assigner.assign(assigner.everyone);
    await assigner.columns.adjustPrices();
  }
}

/** Nobody moves into a cluster that a limit keeps them out of. */
async function polish(assigner: Assigner, passes: number): Promise<void> {
  for (let pass = 0; pass < passes; pass++) {
    await assigner.prepare({ kind: "polish" });
    await assigner.propose(assigner.everyone);
  }
}

/** What a job with these parties says of such scores. */
function scaleOf(party: LocalColumns, kind: RecordedKind, grid: Grid): Scale {
  const rule = { lloyd: "nearest", fair: "priced", polish: "polish", places: "nearest" } as const;
  const job = { sites: parties, charges: 2, even: false };
  const { range, ...scale } = scoreRange(rule[kind], grid, party.weightStep, job);
  return { bound: range, ...scale };
}
