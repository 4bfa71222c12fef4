import { countPatterns, numberPeople } from "../constraints/feasibility/index.js";
import { defined } from "../defined.js";
import { closeLanes, openLanes } from "../kernels/lanes.js";
import { LocalGroup } from "../parties/local-group.js";
import { separatePoints } from "../parties/points.js";
import { atTheirRows, splitOfRows, splitRows } from "../parties/split-rows.js";
import { pricedAtoms } from "../solver/priced-assignment.js";
import { openRows, type RowWeights, sseUnit } from "../solver/row-run.js";
import type { People } from "../table/types.js";
import { describe } from "./describe.js";
import { distancesTo } from "./distances.js";
import type { Settings } from "./settings.js";
import { solveRows } from "./solve-rows.js";
import type { ClusterOptions, PeopleClustering } from "./types.js";
import { describeFree } from "./without-promises.js";

/** Clusters people whose rows in-process parties hold. */
export async function clusterRows(
  people: People,
  settings: Settings,
  options: ClusterOptions,
  began: number,
): Promise<PeopleClustering> {
  const clock = options.clock ?? (() => 0);
  const { k } = settings;
  const { n } = people;
  const columns = people.dimensions.length;
  const split = splitOfRows(people, settings.parties);
  const weights = weightsIn(people, settings);
  const found = countPatterns(people.attributes, people.weights?.total ?? n);
  const patterns = { ...found, counts: Array.from(found.counts, (count) => count / (weights?.unit ?? 1)) };
  const codes = Uint16Array.from(numberPeople(people.attributes, patterns, n));
  const lanes = openLanes(settings.threads, (n * (columns + 1) * k) / split.length);
  try {
    const parties = splitRows(people, split, { codes, count: patterns.counts.length }, lanes);
    const group = new LocalGroup(parties, options.signal);
    const given = defined({ weights, places: settings.seats });
    const run = await openRows(group, columns, k, patterns, given);
    const { onProgress } = options;
    const labelsNow = () => atTheirRows(split, n, (party) => parties[party].labels);
    const progress = onProgress ? { onProgress } : {};
    const solution = await solveRows({
      run,
      settings,
      lanes,
      clock,
      compares: !settings.seats,
      labelsNow,
      ...progress,
    });
    const { outcome, history, seeding, simplifiedSilhouette } = solution;
    const labels = labelsNow();
    const { bits } = run.grid;
    const centres = outcome.centres.map((value) => value * 2 ** -bits);
    const grid = { ...run.grid, sse: outcome.cost * sseUnit(run) };
    const total = (clock() - began) / 1000;
    const seconds = { read: 0, seed: seeding / 1000, solve: total - seeding / 1000, total };
    const around = settings.seats && distancesTo(settings.seats, people, labels);
    const described = describe(people, settings, labels, outcome, group.traffic, seconds, around);
    return {
      labels,
      centres: separatePoints(centres, columns),
      gridBits: bits,
      history,
      result: {
        ...described,
        ...describeFree(people, { ...described, labels }, solution, grid),
        parties: { sizes: split.map((rows) => rows.length), minCount: settings.minCount },
        simplifiedSilhouette,
        warnings: [...described.warnings, ...implied(settings, options, people), ...solution.warnings],
      },
    };
  } finally {
    await closeLanes(lanes);
  }
}

/** How often people count, in units. */
function weightsIn({ weights }: People, { atoms }: Settings): RowWeights | undefined {
  if (!weights || !atoms) return undefined;
  const { unit } = weights;
  const { count, largest } = atoms;
  const total = weights.total / unit;
  return { unit, total, ...pricedAtoms({ total, count, largest: largest / unit }) };
}

/** Rows are split although nobody said so. */
function implied({ algorithm, parties }: Settings, { split }: ClusterOptions, { holders }: People): string[] {
  if (split !== undefined || holders) return [];
  const alone = parties === 1 ? ", all of them at one party: use `parties` or `splitBy`" : "";
  return [`${algorithm} works on split rows, so \`split: rows\` is implied${alone}`];
}
