import { limitsSizes } from "../constraints/bounds.js";
import { checkFeasible } from "../constraints/feasibility/index.js";
import { closeLanes, openLanes } from "../kernels/lanes.js";
import type { LocalColumns } from "../parties/local-columns.js";
import { columnsOf, type Promises, splitColumns } from "../parties/split.js";
import { ApartDecider } from "../solver/apart-decider.js";
import { Assigner } from "../solver/assigner.js";
import { localDecider } from "../solver/local-deciders.js";
import { manyValues } from "../table/dimension.js";
import type { People } from "../table/types.js";
import { apartIn, atomsOf } from "./atoms.js";
import { methodOf, runsPrivately } from "./catalogue.js";
import { describe, inManhattan } from "./describe.js";
import { costOf } from "./distances.js";
import { gapOf } from "./gap.js";
import { withMeaningfulSizes } from "./meaningful-size.js";
import { requestOf, type Settings, settle } from "./settings.js";
import { type Beginnings, solve } from "./solve-columns.js";
import type { ClusterOptions, PeopleClustering } from "./types.js";
import { describeFree } from "./without-promises.js";

/** Clusters people in this process. The result depends only on the people, the options and the seed. */
export async function cluster(people: People, options: ClusterOptions): Promise<PeopleClustering> {
  const began = options.clock?.() ?? 0;
  const settings = await settle(people, options);
  const method = methodOf(settings.algorithm);
  if (runsPrivately(method, options)) {
    const { clusterPrivately } = await import("./cluster-privately.js");
    const [clustering] = await clusterPrivately(method.privacy!, people, [settings.k], settings, options);
    return clustering;
  }
  if (method.whole) {
    const { clusterWhole } = await import("./cluster-whole.js");
    return clusterWhole(people, settings, options, { run: await method.whole.load(), cluster, began });
  }
  const clusterSplit = settings.split === "rows" ? (await import("./cluster-rows.js")).clusterRows : clusterColumns;
  // A repeat with larger clusters begins where the first run did.
  const beginnings: Beginnings | undefined = settings.minSizeFrom === "fallback" ? new Map() : undefined;
  const run = (asked: Settings) => clusterSplit(people, asked, options, began, beginnings);
  if (settings.notion?.name === "representation" && method.promises.groups) {
    const { clusterRepresented } = await import("./represent.js");
    return clusterRepresented(people, settings, settings.notion, options, { run, cluster });
  }
  const clustering = await run(settings);
  if (settings.notion) {
    const { judgeNotion } = await import("./judge-notion.js");
    const judged = await judgeNotion(people, clustering, settings.notion, options.signal);
    return { ...clustering, result: { ...clustering.result, ...judged } };
  }
  // The quick check left feasibility open, and this clustering does not meet the request: find out whether any could.
  if (!settings.feasible && clustering.result.fair === false) {
    await checkFeasible(requestOf(people, settings), { effort: "thorough", signal: options.signal });
  }
  if (settings.minSizeFrom !== "fallback") return clustering;
  return withMeaningfulSizes(clustering, people, settings, run, options.signal);
}

/** Columns on in-process parties. */
async function clusterColumns(
  people: People,
  settings: Settings,
  options: ClusterOptions,
  began: number,
  known?: Beginnings,
): Promise<PeopleClustering> {
  const clock = options.clock ?? (() => 0);
  const atoms = atomsOf(people);
  const solved = atoms?.solved ?? people;
  const scatter = atoms?.scatter ?? 0;
  const expand = atoms?.expand ?? ((each: Uint16Array) => each);
  const work = solved.n * (people.dimensions.length + 1) * settings.k;
  // For each person: coordinates, a row of rough scores, and 24 bytes of labels, patterns and margins.
  const bytes = solved.n * (4 * people.dimensions.length + 4 * (settings.k + 3) + 24);
  const lanes = openLanes(settings.threads, work, bytes);
  try {
    const promises = promisesOf(settings);
    const parties = splitColumns(solved, settings.parties, lanes, promises, settings.seats);
    const { k, distance } = settings;
    const apart = apartIn(people, k);
    const decider = localDecider(parties);
    const deciding = apart ? new ApartDecider(decider, apart) : decider;
    const assigner = await Assigner.open(deciding, k, options.signal, distance);
    const from = settings.from;
    const { outcome, history, seeding, ...free } = await solve({
      assigner,
      settings,
      promised: isPromised(people, settings),
      people,
      ...(from ? { place: () => placeCentres(parties, from) } : {}),
      ...(known
        ? {
            beginnings: {
              known,
              centres: () => parties.map((party) => party.scaledCentres()),
              place: (centres) => parties.forEach((party, index) => void party.setScaledCentres(centres[index])),
            },
          }
        : {}),
      compares: true,
      ...(options.onProgress ? { onProgress: options.onProgress, onTrial: options.onProgress } : {}),
      clock,
    });
    const labels = expand(await assigner.labelsNow());
    const done = clock();
    const seconds = {
      read: 0,
      seed: seeding / 1000,
      solve: (done - began - seeding) / 1000,
      total: (done - began) / 1000,
    };
    const grid = { ...assigner.grid, sse: (await assigner.sse()) + scatter };
    // Beyond so many the SSE is that of the grid, which differs in the seventh digit and is there already.
    const many = people.n * people.dimensions.length > manyValues;
    const { seats } = settings;
    const total = many ? grid.sse : costOf(people, labels, k, distance, seats);
    const traffic = { ...assigner.traffic };
    const gap = isPromised(people, settings) && promises ? await gapOf(assigner, parties, scatter) : null;
    const described = { ...describe(people, settings, labels, outcome, traffic, seconds, total), gap };
    const freely = {
      unconstrainedSse: free.unconstrainedSse === null ? null : free.unconstrainedSse + scatter,
      ...(free.freeLabels ? { freeLabels: expand(free.freeLabels) } : {}),
    };
    const found = {
      ...described,
      ...describeFree(people, { ...described, labels, seats }, freely, grid),
    };
    const result = distance === "manhattan" ? inManhattan(found, costOf(people, labels, k, "euclidean", seats)) : found;
    return {
      labels,
      centres: centresOf(parties, settings.k, people.dimensions.length),
      gridBits: grid.bits,
      ...(promises?.bounds.length ? { prices: pricesOf(parties) } : {}),
      history,
      result,
    };
  } finally {
    await closeLanes(lanes);
  }
}

function pricesOf(parties: readonly LocalColumns[]): NonNullable<PeopleClustering["prices"]> {
  const told = parties.flatMap(({ groupPrices }) => groupPrices);
  return Object.fromEntries(told.map(({ attribute, prices }) => [attribute, prices]));
}

/** The promises that the parties keep limits and prices for: of sizes, with groups where the method promises both, or none. */
function promisesOf(settings: Settings): Promises | undefined {
  const { groups, sizes } = methodOf(settings.algorithm).promises;
  if (groups && sizes) return settings;
  return sizes || settings.evenness ? { ...settings, bounds: [] } : undefined;
}

function isPromised({ n, attributes, weights }: People, { sizes, seats, evenness: even }: Settings): boolean {
  return attributes.length > 0 || even !== undefined || limitsSizes(sizes, weights?.total ?? n, seats ? 0 : 1);
}

/** Every party takes its slice of the centres. */
function placeCentres(parties: readonly LocalColumns[], centres: readonly Float64Array[]): void {
  parties.forEach((party, index) => {
    const { from, to } = columnsOf(index, parties.length, centres[0].length);
    party.setScaledCentres(centres.flatMap((centre) => Array.from(centre.subarray(from, to))));
  });
}

/** The centres, from the parties' slices of them. */
function centresOf(parties: readonly LocalColumns[], k: number, dims: number): Float64Array[] {
  const centres = Array.from({ length: k }, () => new Float64Array(dims));
  parties.forEach((party, index) => {
    const { from, to } = columnsOf(index, parties.length, dims);
    const slice = party.scaledCentres();
    centres.forEach((centre, m) => {
      centre.set(slice.subarray(m * (to - from), (m + 1) * (to - from)), from);
    });
  });
  return centres;
}
