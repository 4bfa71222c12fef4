import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { tiedPeople } from "../../testing/people.js";
import { cardFor, dealt } from "../testing/simulated.js";
import type { PartyHandle } from "../transport/types.js";
import { encodeHandover, type Handover } from "../wire/relay.js";
import { relayCard } from "./relay.js";

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
  const card = cardFor(dealt(tiedPeople(10, 3, 1, 1), 3), "k: 3");
  const solution = { outcome: { passes: 1, converged: true }, history: [], seeding: 0, unconstrainedSse: null, sse: 1 };
  const [first, last] = [300, 3300];
  let before = 0;
  let growth = Number.POSITIVE_INFINITY;
  // Parties that hand over at once, as if everything masked had cancelled: rows, sums and checkpoints by turns.
  const handings: readonly [Handover, number][] = [
    [{ kind: "rows", rows, width: 3, bytes: 6 }, rows * 2 * 6],
    [{ kind: "sums", count: 40 }, 320],
    [{ kind: "rows", rows, width: 3, bytes: 8 }, rows * 2 * 8],
    [{ kind: "checkpoint", position: 1 }, 0],
  ];
  const handles = ["a", "b", "c"].map(
    (name): PartyHandle => ({
      name,
      async ask(_, meta, { onPart } = {}) {
        const { step } = meta as { step: number };
        if (name === "a" && step === first) before = used();
        if (name === "a" && step === last) growth = used() - before;
        const [handover, bytes] = step > last ? [{ kind: "end" } as const, 0] : handings[step % handings.length];
        onPart!(Buffer.concat([encodeHandover(handover), new Uint8Array(bytes)]));
        return { meta: step > last ? { solution } : null, body: new Uint8Array(0) };
      },
    }),
  );
  let kept = 0;
  const keep = async () => {
    kept++;
  };
  const { communication } = await relayCard({
    ...{ card, hash: "job", epoch: 0, rows, counts: [rows, rows, rows], handles, results: [] },
    ...{ keep, clock: () => 0 },
  });
  // A hundred bytes kept of each round would be 300 kB; its numbers alone, 48 MB.
  expect(growth).toBeLessThan(200_000);
  expect(communication.rounds).toBe(last + 2);
  expect(kept).toBeGreaterThan(800);
});
