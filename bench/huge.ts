import { statfs } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { MoietyError } from "../src/errors.js";
import { figure, seedsOf } from "./figure.js";
import type { Whole } from "./speed/tasks.js";
import { remarkOn, secondsOf, store, wholeRun } from "./speed/workshop.js";
import { inTemporaryFolder } from "./temporary.js";
import type { Bench, Sheet } from "./types.js";

const dimensions = 53;
/** What the run may hold at once, in times the data in f32, and what any process needs. */
const times = 3;
const basis = 300e6;

/** More people than fit into one memory of WebAssembly (4 GB), which is what shards are for. */
export async function huge(bench: Bench): Promise<Sheet[]> {
  const { quick, n = quick ? 5000 : 20_000_000, seeds } = bench.options;
  const bytes = 4 * n * dimensions;
  await checkRoom(n, bytes);
  return inTemporaryFolder(async (folder) => {
    const shop = { bench, folder };
    const file = await store(shop, n);
    const runs: Whole[] = [];
    for (const seed of seedsOf(seeds)) {
      bench.say(`a whole fair run over ${n.toLocaleString("en-US")} people, seed ${seed} of ${seeds}`);
      runs.push(await wholeRun(shop, file, { k: 3, seed }));
    }
    const peaks = runs.map(({ peak }) => peak);
    const figures = {
      seconds: secondsOf(runs),
      data: figure([bytes], "B"),
      "peak memory": figure(peaks, "B"),
      ratio: figure(
        peaks.map((peak) => peak / bytes),
        "x",
        { goal: { atMost: 2.5 } },
      ),
    };
    const title = `A whole fair run over ${n.toLocaleString("en-US")} x ${file.d}, k 3, delta 0.2, seeding included`;
    return [{ title, lines: [{ at: { people: n }, figures, ...remarkOn(runs) }], notes: [] }];
  });
}

/** Refuses before anything is invented what would end in the middle. */
async function checkRoom(n: number, bytes: number): Promise<void> {
  const gigabytes = (size: number) => `${(size / 1e9).toFixed(1)} GB`;
  const many = `${n.toLocaleString("en-US")} x ${dimensions}`;
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const needed = times * bytes + basis;
  if (memory < needed) {
    const advice = `choose a smaller --n, such as --n ${Math.max(1, Math.floor((memory - basis) / (times * 4 * dimensions * 1e6)))}000000`;
    throw new MoietyError(
      "usage",
      `${many} needs ${gigabytes(needed)} of memory, and there is ${gigabytes(memory)}: ${advice}`,
    );
  }
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < 1.1 * bytes) {
    const room = `${many} needs ${gigabytes(1.1 * bytes)} of disk in ${tmpdir()}, and ${gigabytes(bavail * bsize)} are free`;
    throw new MoietyError("usage", `${room}: choose a smaller --n, or another folder with TMPDIR`);
  }
}
