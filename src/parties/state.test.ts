import { describe, expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { openLanes } from "../kernels/lanes.js";
import { admmDescent } from "../solver/admm-descent.js";
import { Assigner } from "../solver/assigner.js";
import type { Decider } from "../solver/decider.js";
import { fairDescent } from "../solver/fair-descent.js";
import { lloyd } from "../solver/lloyd.js";
import { localDecider } from "../solver/local-deciders.js";
import { seedCentres } from "../solver/seeding.js";
import { tiedPeople } from "../testing/people.js";
import type { ColumnParty } from "./column-party.js";
import { splitColumns } from "./split.js";

const people = tiedPeople(300, 4, 2, 3);
const promises = {
  bounds: resolveBounds(people.attributes, { delta: 0.2 }),
  tolerance: 1,
  sizes: { min: 2, max: people.n },
};
const newParty = () => splitColumns(people, 1, openLanes(1), promises)[0];

/** A decider whose party is replaced now and then, in the middle of a run, by one that went on from its state. */
function restless(every: number): { decider: Decider; replaced: () => number } {
  let present = newParty();
  let kernel = localDecider([present]);
  let questions = 0;
  let replaced = 0;
  const replace = async () => {
    if (++questions % every !== 0) return;
    const next = newParty();
    await next.spread();
    await next.restore(structuredClone(present.save()));
    present = next;
    kernel = localDecider([present]);
    replaced++;
  };
  const { traffic } = kernel;
  const columns = new Proxy({} as ColumnParty, {
    get: (_, key) => {
      const value = Reflect.get(present, key, present) as unknown;
      return typeof value === "function" ? value.bind(present) : value;
    },
  });
  const decider = new Proxy({} as Decider, {
    get: (_, key) => {
      if (key === "columns") return columns;
      if (key === "traffic") return traffic;
      const value = Reflect.get(kernel, key, kernel) as unknown;
      if (typeof value !== "function") return value;
      if (key !== "assign" && key !== "propose" && key !== "bestMoves") return value.bind(kernel);
      return async (...args: unknown[]) => {
        await replace();
        return (Reflect.get(kernel, key, kernel) as (...given: unknown[]) => unknown).apply(kernel, args);
      };
    },
  });
  return { decider, replaced: () => replaced };
}

async function run(decider: Decider, solver: "prices" | "admm"): Promise<number[]> {
  const assigner = await Assigner.open(decider, 4);
  await seedCentres(assigner, { init: "kmeans++", seed: 1 });
  await lloyd(assigner, 20);
  if (solver === "admm") await admmDescent(assigner, { block: 75, maxPasses: 15 });
  else await fairDescent(assigner, { block: 75, maxPasses: 5, stage: "all" });
  return Array.from(await assigner.labelsNow());
}

describe.each(["prices", "admm"] as const)("a party's state, solved by %s", (solver) => {
  it.each([1, 7, 40])("is all that a new party needs, every %i questions", async (every) => {
    const { decider, replaced } = restless(every);
    expect(await run(decider, solver)).toEqual(await run(localDecider([newParty()]), solver));
    expect(replaced()).toBeGreaterThan(2);
  });
});
