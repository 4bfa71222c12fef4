import { LinearProgram, type SharedWork, solveProgram } from "../../kernels/programs.js";
import { CountsProgram } from "./counts-program.js";
import { leastMembers, meetsRequest, mostMembers, type Requirements } from "./request.js";
import type { SizeClass } from "./size-classes.js";
import { programTuning } from "./tuning.js";

/**
 * Clusters out of classes, one at a time: each takes the class's average of each pattern and group, rounded up or down.
 * For one or two attributes there always is such a cluster, and the rest of the class keeps its limits. For more, any
 * cluster that leaves the rest within its limits will do, which may lead to a dead end that no undoing leads out of: then null.
 */
export async function splitClasses(
  classes: readonly SizeClass[],
  request: Requirements,
  shared?: SharedWork,
  signal?: AbortSignal,
): Promise<Int32Array | null> {
  const { k, patterns } = request;
  const counts = new Int32Array(patterns.counts.length * k);
  let m = 0;
  for (const sizeClass of classes) {
    const clusters = await splitClass(sizeClass, request, shared, signal);
    if (!clusters) return null;
    for (const cluster of clusters) {
      for (let p = 0; p < cluster.length; p++) counts[p * k + m] = cluster[p];
      m++;
    }
  }
  return meetsRequest(counts, request) ? counts : null;
}

async function splitClass(
  { size, clusters, people }: SizeClass,
  request: Requirements,
  shared: SharedWork | undefined,
  signal: AbortSignal | undefined,
): Promise<Int32Array[] | null> {
  const taken: Int32Array[] = [];
  let rest = people;
  while (taken.length < clusters - 1) {
    const cluster = await takeCluster(size, clusters - taken.length, rest, request, shared, signal);
    if (!cluster) break;
    taken.push(cluster);
    rest = rest.map((count, p) => count - cluster[p]);
  }
  if (taken.length === clusters - 1) return [...taken, rest];
  const { first, most } = programTuning.undone;
  for (let last = first; last <= most; last *= 2) {
    const kept = taken.slice(0, -last);
    const together = [...taken.slice(-last), rest];
    const anew = await splitTogether(size, clusters - kept.length, together, request, shared, signal);
    if (anew) return [...kept, ...anew];
    if (kept.length === 0) break;
  }
  return null;
}

/** Clusters of one size out of all the people in some, by one program. */
async function splitTogether(
  size: number,
  k: number,
  some: readonly Int32Array[],
  request: Requirements,
  shared: SharedWork | undefined,
  signal: AbortSignal | undefined,
): Promise<Int32Array[] | null> {
  const current = new Int32Array(some[0].length * k);
  some.forEach((people, m) => {
    people.forEach((count, p) => {
      current[p * k + m] = count;
    });
  });
  const counts = Array.from(some[0], (_, p) => some.reduce((sum, people) => sum + people[p], 0));
  const sizes = { min: size, max: size };
  const asked = { ...request, n: size * k, k, sizes, patterns: { ...request.patterns, counts } };
  const program = new CountsProgram(current, asked, undefined, false);
  const { values } = await solveProgram(
    program.program,
    { work: programTuning.clusterWork, shared, first: true },
    signal,
  );
  if (values.length === 0) return null;
  const after = program.countsAfter(values);
  return Array.from({ length: k }, (_, m) => some[0].map((_, p) => after[p * k + m]));
}

async function takeCluster(
  size: number,
  clusters: number,
  people: Int32Array,
  request: Requirements,
  shared: SharedWork | undefined,
  signal: AbortSignal | undefined,
): Promise<Int32Array | null> {
  for (const averaged of [true, false]) {
    const answer = await solveProgram(
      buildProgram(averaged),
      { work: programTuning.clusterWork, shared, first: true },
      signal,
    );
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
