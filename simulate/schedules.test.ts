// Slow: runs some hundreds of whole federations, each a quarter of a second.
import { describe, expect, it } from "vitest";
import { frame, toJson } from "../src/federation/transport/frame.js";
import { Watch } from "./checks.js";
import { deviations } from "./deviations.js";
import { type Fault, faultNames } from "./faults.js";
import { SimulatedFederation } from "./federation.js";
import { jobKinds } from "./jobs.js";
import { planOf, runPlan, undisturbed } from "./schedule.js";
import { World } from "./world.js";

const told = ({ broken, logs }: { broken: readonly string[]; logs: readonly string[] }) =>
  broken.length > 0 ? [...broken, ...logs.slice(-30)] : [];

describe("a federation in a simulated world", () => {
  it.each(jobKinds)("ends a job of every kind: %s", async (kind) => {
    expect(await undisturbed(kind)).toMatchObject({ state: "done", broken: [] });
  });

  it.each(faultNames)("keeps its promises through %s, in the middle of a job of every kind", async (fault) => {
    for (const [number, kind] of jobKinds.entries()) {
      const { messages } = await undisturbed(kind);
      const member =
        fault in deviations || fault === "changedData" ? "p1" : (["p1", "coordinator"] as const)[number % 2];
      const at = Math.floor(messages / 2);
      const faults: Fault[] = [{ kind: fault, member, at, span: fault === "backup" ? Math.floor(at / 2) : 20_000 }];
      expect(told(await runPlan({ seed: number, kind, faults }))).toEqual([]);
    }
  });

  it("keeps its promises through whatever follows from a seed", async () => {
    for (let seed = 1; seed <= 120; seed++) expect(told(await runPlan(await planOf(seed)))).toEqual([]);
  });

  it.each([
    [110_016, "masked"],
    [110_342, "align"],
    [110_376, "masked"],
    [145_899, "masked"],
    [152_399, "align"],
    // The coordinator's clock is put back while it waits for a site with a full disk.
    [500_644, "privateRounds"],
  ] as const)("keeps its promises where one was found broken: seed %i", async (seed, kind) => {
    expect(told(await runPlan(await planOf(seed, kind)))).toEqual([]);
  });

  it.each([
    ["privateColumns", [5, 10, 16, 22, 28, 34]],
    ["privateRounds", [5, 22, 40, 60, 85, 110]],
  ] as const)(
    "ends %s whoever is killed around the noise, and draws no second one for a site that was put back",
    async (kind, places) => {
      const { messages } = await undisturbed(kind);
      const reasons: string[] = [];
      for (const back of places) {
        const seed = back;
        const kill: Fault = { kind: "kill", member: back % 4 === 0 ? "p1" : "p0", at: messages - back, span: 20_000 };
        const killed = await runPlan({ seed, kind, faults: [kill] });
        expect([killed.state, ...told(killed)]).toEqual(["done"]);
        const backup: Fault = { kind: "backup", member: "p0", at: messages - back, span: 40 };
        const putBack = await runPlan({ seed, kind, faults: [backup] });
        expect(told(putBack)).toEqual([]);
        reasons.push(`${putBack.reason}`);
      }
      expect(reasons.filter((reason) => /put back, and their privacy is spent/.test(reason))).not.toEqual([]);
    },
  );

  it("is the same for the same seed, message by message", async () => {
    for (const seed of [3, 4, 5]) {
      const plan = await planOf(seed);
      expect((await runPlan(plan)).digest).toBe((await runPlan(plan)).digest);
    }
  });
});

describe("what watches a federation", () => {
  it("finds masks that were used twice", async () => {
    const watch = new Watch(new SimulatedFederation(new World(1)));
    const ask = (step: number, first: number) => {
      const common = { member: "p0", line: 1 };
      const meta = toJson({ job: "a", epoch: 0, step });
      watch.see({ ...common, direction: "down", frame: frame("ask", { call: step + first, method: "relay", meta }) });
      const body = new Uint8Array(64).fill(first);
      watch.see({ ...common, direction: "up", frame: frame("answer", { call: step + first, body }) });
    };
    ask(1, 1);
    const masks = async () => (await watch.broken("a", [], false)).filter((each) => each.includes("mask"));
    expect(await masks()).toEqual([]);
    ask(1, 2);
    ask(9, 1);
    expect((await masks()).map((each) => each.split(":")[0])).toEqual([
      "two answers under one mask",
      "the same masked numbers twice",
    ]);
  });
});
