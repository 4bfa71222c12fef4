import { randomBytes } from "node:crypto";
import {
  addInto,
  alignLocally,
  Blinding,
  PairwiseMasks,
  pairKeysOfAll,
  smallestPositions,
} from "../src/entries/privacy.js";
import { collectAtOnce } from "../src/federation/garbage-collector.js";
import { RowMemory } from "../src/kernels/blinding.js";
import { MaskedRows } from "../src/privacy/masks/masked-rows.js";
import { figure, seedsOf } from "./figure.js";
import type { Bench, Figure, Goal, Line, Sheet } from "./types.js";

interface Spent {
  readonly wall: number;
  /** Of all threads of this process: what the wall time would be on one idle core. */
  readonly processor: number;
}

/** How many ids each site has, and how long it may take; a million are aligned once. */
const alignments = [
  { ids: 500, seconds: 30 },
  { ids: 100_000, seconds: 30 },
  { ids: 1_000_000, seconds: 360, times: 1 },
];

/** What masks, blinding and alignment cost one process, without a network; its engine is set as that of a site. */
export async function privacy(bench: Bench): Promise<Sheet[]> {
  collectAtOnce();
  const { quick, threads, seeds, n = quick ? 20_000 : 5_000_000 } = bench.options;
  const lines: Line[] = [];
  const add = async (at: Line["at"], run: () => unknown, goal?: Goal, times = seeds) => {
    const spent: Spent[] = [];
    for (const seed of seedsOf(times)) {
      bench.signal.throwIfAborted();
      bench.say(`${at.work}, ${seed} of ${times}`);
      spent.push(await measure(run));
    }
    lines.push({ at, figures: figuresOf(spent, goal) });
  };
  await add({ work: "masks of one party of 3", size: `${n} x 10 numbers` }, maskRun(n, 10), { atMost: 0.5 });
  await add({ work: "coordinator adds 3 parties", size: `${n} x 10 numbers` }, sumRun(n * 10));
  const blinded = blindRun(n, 3);
  await add({ work: "blinding of the leading party", size: `${n} x 3 scores` }, blinded.blind);
  await add({ work: "coordinator finds the smallest", size: `${n} x 3 scores` }, blinded.find);
  for (const { ids, seconds, times } of quick ? alignments.slice(0, 1) : alignments.slice(1)) {
    const sets = [0, 1, 2].map((party) => ({
      name: `party-${party}`,
      ids: Array.from({ length: ids }, (_, at) => `person ${at + (party * ids) / 10}`),
    }));
    const alignment = () => alignLocally(sets, { threads, random: randomBytes, signal: bench.signal });
    await add({ work: "alignment of 3 parties", size: `${ids} ids each` }, alignment, { atMost: seconds }, times);
  }
  return [
    { title: `What privacy costs: alignment on ${threads} threads, all else on one`, lines, notes: notesOn(lines) },
  ];
}

async function measure(run: () => unknown): Promise<Spent> {
  const before = process.cpuUsage();
  const begun = performance.now();
  await run();
  const wall = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { wall, processor: (user + system) / 1e6 };
}

function figuresOf(spent: readonly Spent[], goal: Goal | undefined): Record<string, Figure> {
  return {
    time: figure(
      spent.map(({ wall }) => wall),
      "s",
      goal ? { goal } : {},
    ),
    processor: figure(
      spent.map(({ processor }) => processor),
      "s",
    ),
  };
}

/** A missed goal stays missed; whether the processors were free for it all the while is worth knowing. */
function notesOn(lines: readonly Line[]): string[] {
  return lines.flatMap(({ at, figures: { time, processor } }) => {
    if (time.met !== false) return [];
    const share = (processor.mean / time.mean).toFixed(2);
    return [
      `${at.work}: on average ${share} processors worked for it; fewer than its threads means that others had them.`,
    ];
  });
}

/** Blocks as they are sent. */
const block = 1 << 17;

/** As a masked job does it: rows of whole scores become differences, and these are masked. */
function maskRun(n: number, width: number): () => void {
  const [keys] = pairKeysOfAll(["party-0", "party-1", "party-2"], randomBytes);
  const masks = new PairwiseMasks(keys!);
  const masked = new MaskedRows(new RowMemory(), n, width + 1, "index");
  const rows = Math.floor(block / width);
  const scores = Float64Array.from({ length: rows * (width + 1) }, (_, at) => (at * 7919) % 2 ** 40);
  let round = 0;
  return () => {
    for (let from = 0; from < n; from += rows) {
      const some = scores.subarray(0, Math.min(rows, n - from) * (width + 1));
      masks.mask({ round, block: from / rows }, masked.differences(some, from, { bound: 2 ** 41 }));
    }
    round++;
  };
}

function sumRun(numbers: number): () => void {
  const part = new BigInt64Array(block).fill(12_345n);
  const sum = new BigInt64Array(block);
  return () => {
    for (let at = 0; at * block < numbers; at++) for (let party = 0; party < 3; party++) addInto(sum, part);
  };
}

function blindRun(n: number, k: number): { blind: () => void; find: () => void } {
  const blinding = new Blinding(randomBytes(32));
  const scores = Float64Array.from({ length: n * k }, (_, at) => (at * 7919) % 2 ** 36);
  let round = 0;
  let differences: BigInt64Array = new BigInt64Array(0);
  return {
    blind: () => {
      differences = blinding
        .pass(round++, n, k, 16)
        .load(scores, { bound: 2 ** 46 })
        .blinded("index")
        .take(n);
    },
    find: () => smallestPositions(differences, n, k),
  };
}
