import { describe, expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { openLanes } from "../kernels/lanes.js";
import { admmDescent } from "../solver/admm.js";
import { Coordinator } from "../solver/coordinator.js";
import { fairDescent } from "../solver/fair.js";
import { lloyd } from "../solver/lloyd.js";
import { seedCentres } from "../solver/seeding.js";
import { tiedPeople } from "../testing/people.js";
import type { LocalColumns } from "./local.js";
import { splitColumns } from "./split.js";
import type { ColumnParty } from "./types.js";

const people = tiedPeople(300, 4, 2, 3);
const promises = {
  bounds: resolveBounds(people.attributes, { delta: 0.2 }),
  tolerance: 1,
  sizes: { min: 2, max: people.n },
};
const newParty = () => splitColumns(people, 1, openLanes(1), promises)[0];

/** A party that is replaced now and then, in the middle of a run, by one that went on from its state. */
function restless(every: number): { party: ColumnParty; replaced: () => number } {
  let present: LocalColumns = newParty();
  let questions = 0;
  let replaced = 0;
  const replace = async () => {
    if (++questions % every !== 0) return;
    const next = newParty();
    await next.spread();
    await next.resume(structuredClone(present.state()));
    present = next;
    replaced++;
  };
  const alone: ColumnParty["alone"] = {
    decide: async (range, ownFirst) => {
      await replace();
      return present.alone.decide(range, ownFirst);
    },
    propose: async (ranges) => {
      await replace();
      return present.alone.propose(ranges);
    },
    bestMoves: async (ranges) => {
      await replace();
      return present.alone.bestMoves(ranges);
    },
  };
  const party = new Proxy({} as ColumnParty, {
    get: (_, key) => {
      if (key === "alone") return alone;
      const value = Reflect.get(present, key, present) as unknown;
      return typeof value === "function" ? value.bind(present) : value;
    },
  });
  return { party, replaced: () => replaced };
}

async function run(party: ColumnParty, solver: "prices" | "admm"): Promise<number[]> {
  const coordinator = await Coordinator.open([party], 4);
  await seedCentres(coordinator, { init: "kmeans++", seed: 1 });
  await lloyd(coordinator, 20);
  if (solver === "admm") await admmDescent(coordinator, { block: 75, maxPasses: 15 });
  else await fairDescent(coordinator, { block: 75, maxPasses: 5, stage: "all" });
  return Array.from(await coordinator.labelsNow());
}

describe.each(["prices", "admm"] as const)("a party's state, solved by %s", (solver) => {
  it.each([1, 7, 40])("is all that a new party needs, every %i questions", async (every) => {
    const { party, replaced } = restless(every);
    expect(await run(party, solver)).toEqual(await run(newParty(), solver));
    expect(replaced()).toBeGreaterThan(2);
  });
});
