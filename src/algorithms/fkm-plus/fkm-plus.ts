import { lloydOnRows, type RowCentres } from "../../solver/row-lloyd.js";
import { settleRows } from "../../solver/row-run.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import {
  clusterMeans,
  givenCentres,
  type RowMethod,
  type RowOutcome,
  type RowStart,
  summaries,
  usualQuestions,
} from "../row-start.js";
import { countCells } from "./count-cells.js";

/** Each party clusters more finely than asked, so that its means say where its people are. */
const local = { finer: 3, starts: 5 } as const;
/** The coordinator keeps the best of so many weighted k-means. */
const restarts = { tried: 50, kept: 10 } as const;
/** Rounds times candidates: each gives sums away, and many sums of the same people tell more than one. */
const mostReleases = 100;

/**
 * Good centres from cells that are counted over all parties, or from one round of each party's own means; then exact Lloyd
 * on the most promising ones: only sums leave a party.
 */
export const fkmPlusOnRows: RowMethod = { questions: usualQuestions, run: runFkmPlus };

async function runFkmPlus(start: RowStart): Promise<RowOutcome> {
  const { centres, rounds, converged } = await exactCentres(start);
  const settled = await settleRows(start.run, centres);
  return { centres, passes: rounds, converged, ...settled, beyond: 0 };
}

/** The centres before anything is promised. */
export async function exactCentres(start: RowStart): Promise<RowCentres> {
  const { run, settings } = start;
  const least = settings.minCount;
  const candidates = await begin(start);
  start.seeded();
  const rounds = settings.maxIterations;
  return lloydOnRows(run, candidates, { least, rounds, releases: mostReleases, onRound: start.watch("descent") });
}

async function begin(start: RowStart): Promise<Float64Array[]> {
  const { run, settings } = start;
  const given = givenCentres(start);
  if (given) return [given];
  const least = settings.minCount;
  const clusters = local.finer * run.k;
  const sent =
    settings.protection === "masked"
      ? [await countCells(start)]
      : await summaries(start, {
          clusters,
          peopleEach: least,
          least,
          small: "merge",
          method: "k-means",
          starts: local.starts,
        });
  const found = await clusterMeans(start, sent, restarts.tried, new Random(derive(start.seed, 2)));
  return different(found).slice(0, restarts.kept);
}

/** Many starts end in the same place. */
function different(found: readonly Float64Array[]): Float64Array[] {
  const seen = new Set<string>();
  return found.filter((centres) => {
    const name = Array.from(centres)
      .sort((a, b) => a - b)
      .join();
    return !seen.has(name) && seen.add(name);
  });
}
