import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { RunLog } from "../replay/run-log.js";
import { Consortium } from "./consortium.js";
import { Panel, type Seat } from "./panel.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function used(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("the coordinator's memory does not grow with rounds", async () => {
  const rows = 2000;
  // Parties that answer at once, as if everything masked had cancelled.
  const seats = ["a", "b", "c"].map(
    (name): Seat => ({
      name,
      async ask(_, __, { most = 0, onPart } = {}) {
        if (!onPart) return { meta: [rows, 0, 0], body: new Uint8Array(0) };
        onPart(new Uint8Array(most));
        return { meta: null, body: new Uint8Array(0) };
      },
    }),
  );
  let kept = 0;
  const panel = new Panel(seats, "job", 0);
  const log = new RunLog(rows, {
    checkpoint: async (_, results) => {
      kept += results.length;
    },
  });
  const all = new Consortium(panel, log, rows);
  await all.open({ k: 3, grid: { bits: 8, weightBits: 8, quantum: 1, reach: 40 } });
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++) {
      await all.recentre();
      await all.distances(round % rows);
      await all.gained();
      await all.sse();
      await all.sizes();
      await log.pass(rows, async () => round);
    }
  };
  await rounds(300);
  const before = used();
  await rounds(3000);
  // A hundred bytes kept of each round would be 300 kB; its numbers alone, 48 MB.
  expect(used() - before).toBeLessThan(200_000);
  expect(panel.wire.rounds).toBe(3300 * 4);
  expect(kept).toBeGreaterThan(3000 * 4);
});
