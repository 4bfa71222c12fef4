import { LinearProgram, solveProgram } from "../../kernels/programs.js";
import { leastMembers, meetsRequest, mostMembers, type Requirements } from "./request.js";
import type { SizeClass } from "./size-classes.js";

/** For one cluster's program, which has a column for each pattern. */
const clusterWork = 1e7;

/**
 * Clusters out of classes, one at a time: each takes the class's average of each pattern and group, rounded up or down.
 * For one or two attributes there always is such a cluster, and the rest of the class keeps its limits. For more, any
 * cluster that leaves the rest within its limits will do, which may lead to a dead end: then null.
 */
export async function splitClasses(
  classes: readonly SizeClass[],
  request: Requirements,
  signal?: AbortSignal,
): Promise<Int32Array | null> {
  const { k, patterns } = request;
  const counts = new Int32Array(patterns.counts.length * k);
  let m = 0;
  for (const { size, clusters, people } of classes) {
    let rest = people;
    for (let left = clusters; left > 0; left--) {
      const cluster = left === 1 ? rest : await takeCluster(size, left, rest, request, signal);
      if (!cluster) return null;
      for (let p = 0; p < cluster.length; p++) counts[p * k + m] = cluster[p];
      rest = rest.map((count, p) => count - cluster[p]);
      m++;
    }
  }
  return meetsRequest(counts, request) ? counts : null;
}

async function takeCluster(
  size: number,
  clusters: number,
  people: Int32Array,
  request: Requirements,
  signal: AbortSignal | undefined,
): Promise<Int32Array | null> {
  for (const averaged of [true, false]) {
    const answer = await solveProgram(buildProgram(averaged), { work: clusterWork, first: true }, signal);
    if (answer.values.length > 0) return Int32Array.from(answer.values, Math.round);
  }
  return null;

  function buildProgram(averaged: boolean): LinearProgram {
    const { bounds, tolerance, patterns } = request;
    const program = new LinearProgram();
    const average = (total: number) => [Math.floor(total / clusters), Math.ceil(total / clusters)] as const;
    people.forEach((count, p) => {
      const [lower, upper] = averaged ? average(count) : [0, count];
      program.addEntry(program.addColumn(0, lower, upper, true), 1);
      if (p === people.length - 1) program.closeRow(size, size);
    });
    bounds.forEach(({ groups, lower, upper }, a) => {
      for (let l = 0; l < groups.length; l++) {
        let total = 0;
        people.forEach((count, p) => {
          if (patterns.codes[a][p] !== l) return;
          total += count;
          program.addEntry(p, 1);
        });
        const least = leastMembers(size, lower[l], tolerance);
        const most = mostMembers(size, upper[l], tolerance);
        const others = clusters - 1;
        const [from, to] = averaged
          ? average(total)
          : [Math.max(least, total - others * most), Math.min(most, total - others * least)];
        program.closeRow(from, to);
      }
    });
    return program;
  }
}
