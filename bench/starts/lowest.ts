import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { writeAtomically } from "../../src/table/disk/index.js";
import { figure } from "../figure.js";
import type { Bench, Sheet } from "../types.js";
import { casesOf, costOf, lowestFile, lowestKnown, startsWanted } from "./cases.js";

/** Seeds of recorded starts begin here: those of the runs that are judged are small. */
const firstSeed = 1_000_000;

/**
 * Makes starts until the lowest known cost of every request is of 200, first for the request that has had the least time, and writes each result
 * down at once: it may be stopped at any time, and goes on from there.
 */
export async function lowest(bench: Bench): Promise<Sheet[]> {
  const { quick, seeds } = bench.options;
  const known = await lowestKnown();
  const startsOf = (key: string) => known[key]?.starts ?? 0;
  const cases = casesOf(bench);
  const spent = new Map(cases.map((each) => [each, 0]));
  const lines: Sheet["lines"][number][] = [];
  while (!bench.signal.aborted) {
    const [next] = [...spent].filter(([{ key }]) => quick || startsOf(key) < startsWanted).sort((a, b) => a[1] - b[1]);
    if (!next) break;
    const [each, seconds] = next;
    const { key } = each;
    const first = startsOf(key);
    const before = known[key]?.cost ?? Number.POSITIVE_INFINITY;
    bench.say(`${key}: starts ${first + 1} to ${first + seeds}`);
    const begun = performance.now();
    const costs: number[] = [];
    for (let start = first; start < first + seeds; start++) {
      costs.push(await costOf(each, "normal", firstSeed + start, bench.signal));
    }
    spent.set(each, seconds + (performance.now() - begun) / 1000);
    const cost = Math.min(before, ...costs);
    const starts = first + seeds;
    // Nothing that keeps the promises: nothing to write down.
    if (!Number.isFinite(cost)) continue;
    lines.push({
      at: { request: key },
      figures: {
        starts: figure([starts], ""),
        cost: figure([cost], ""),
        "of the one before": figure([Number.isFinite(before) && before > 0 ? cost / before : 1], "x"),
      },
    });
    if (quick) break;
    known[key] = { cost: Number(cost.toPrecision(9)), starts };
    const entries = Object.entries(known).sort(([one], [other]) => (one < other ? -1 : 1));
    const text = entries
      .map(([name, { cost, starts }]) => `  ${JSON.stringify(name)}: { "cost": ${cost}, "starts": ${starts} }`)
      .join(",\n");
    await writeAtomically(fileURLToPath(lowestFile), (path) => writeFile(path, `{\n${text}\n}\n`));
  }
  const counts = cases.map(({ key }) => startsOf(key));
  const notes = [
    `Of ${cases.length} requests ${counts.filter((starts) => starts >= startsWanted).length} have ${startsWanted} recorded starts or more; the least known has ${Math.min(...counts)}.`,
  ];
  return [{ title: "The lowest SSE known, and of how many starts", lines, notes }];
}
