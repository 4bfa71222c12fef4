import { describe, expect, it, vi } from "vitest";
import { algorithms } from "./algorithms/catalogue.js";
import { cluster } from "./algorithms/cluster.js";
import type { ClusterMethod } from "./algorithms/method.js";
import type * as clusterList from "./algorithms/methods.js";
import { sweep } from "./algorithms/sweep.js";
import type { AlgorithmName } from "./algorithms/types.js";
import { buildProgram } from "./cli/program.js";
import type { Session } from "./cli/session.js";
import { cardOf } from "./federation/consent/card.js";
import { policyTemplate } from "./federation/consent/policy.js";
import { groupsPromised } from "./federation/consent/settings.js";
import { type MethodName, methods } from "./learning/catalogue.js";
import type { TrainingMethod } from "./learning/methods/method.js";
import type * as trainingList from "./learning/methods.js";
import { unfairExamples, unfairLearning } from "./learning/testing/examples.js";
import { train } from "./learning/train.js";
import { clusterOptions, trainOptions } from "./library/options.js";
import { clusterReport } from "./report/cluster.js";
import { renderReport } from "./report/report.js";
import { trainReport } from "./report/train.js";
import { tiedPeople } from "./testing/people.js";

// A new method is its folder, which `hoisted` stands for here, and its place in the list of methods. Nothing else of the
// program is changed for it.

const { toy, dull } = vi.hoisted(() => {
  const toy: ClusterMethod<"toy"> = {
    name: "toy",
    summary: "one pass of k-means",
    paper: "Toys (Toymaker 2026)",
    columns: {
      load: async () => {
        const { runLloyd } = await import("./algorithms/lloyd/lloyd.js");
        return (start) => runLloyd({ ...start, settings: { ...start.settings, maxIterations: 1 } });
      },
      federated: true,
    },
    promises: { groups: false, sizes: false },
    phases: ["seed", "descent"],
    options: { rule: { values: ["wooden", "tin"], default: "wooden", help: "wooden, or tin" } },
    objection: ({ block }) => (block === undefined ? undefined : "a toy has no blocks: leave `block` out"),
  };
  const dull: TrainingMethod<"dull"> = {
    name: "dull",
    summary: "averages, and nothing else",
    paper: "Dullness (Toymaker 2026)",
    fairness: ["ap"],
    options: { eta: { usual: 0.25 } },
    loss: "given",
    weighting: "people",
    make: () => ({
      memory: [],
      plan: ({ groups }) => ({
        kind: "given",
        entropyWeights: new Float64Array(2 * groups).fill(1),
        rateWeights: new Float64Array(2 * groups),
      }),
    }),
  };
  return { toy, dull };
});

vi.mock("./algorithms/methods.js", async (original) => {
  const { clusterMethods } = await original<typeof clusterList>();
  return { clusterMethods: [...clusterMethods, toy] };
});
vi.mock("./learning/methods.js", async (original) => {
  const { trainingMethods } = await original<typeof trainingList>();
  return { trainingMethods: [...trainingMethods, dull] };
});

const session = {} as Session;

async function helpOf(command: string): Promise<string> {
  const program = await buildProgram([command, "--help"], session);
  const help = program.commands.find((each) => each.name() === command)!.helpInformation();
  return help.replace(/\s+/g, " ");
}

const submission = { federation: "federation", analyst: "alice", nonce: "ab".repeat(16) };

describe("a new clusterer", () => {
  const algorithm = "toy" as AlgorithmName;
  const people = tiedPeople(60, 2, 1, 3);
  const asked = { k: 3, algorithm, threads: 1 } as const;

  it("clusters, in one process and on several parties", async () => {
    const { labels, result } = await cluster(people, asked);
    const { labels: plain } = await cluster(people, { ...asked, algorithm: "lloyd", maxIterations: 1 });
    expect(labels).toEqual(plain);
    expect(result.algorithm).toBe("toy");
    expect((await cluster(people, { ...asked, parties: 2 })).labels).toEqual(labels);
  });

  it("is swept", async () => {
    const { result } = await sweep(people, { ...asked, k: [2, 3], delta: [0.2] });
    expect(result.points.map(({ k, feasible }) => [k, feasible])).toEqual([
      [2, true],
      [3, true],
    ]);
  });

  it.each([
    [{ balance: 0.8 }, "`balance` does nothing with toy: use f3km, teb, dp-fair, fcfc or bcls, or leave it out"],
    [{ split: "rows" }, /^toy does not work on split rows: use f3km, /],
    [{ block: 7 }, "a toy has no blocks: leave `block` out"],
    [
      { algorithm: "lloyd", rule: "tin" as "prices" },
      "`rule` does nothing with lloyd: use teb or toy, or leave it out",
    ],
  ] as const)("refuses what is not among its options: %j", async (options, message) => {
    await expect(cluster(people, { ...asked, ...options })).rejects.toThrow(message);
  });

  it("is in the help, in the list of algorithms and among the library's options", async () => {
    const help = await helpOf("cluster");
    expect(help).toMatch(/--algorithm <name> [^(]*bcls, toy \(default/);
    expect(help).toContain("teb: prices, sequential, or the paper's gbco (default: prices); toy: wooden, or tin");
    expect(await helpOf("sweep")).toContain("toy: wooden, or tin");
    const { summary, paper } = toy;
    expect(algorithms.at(-1)).toMatchObject({ name: "toy", summary, paper, splits: ["columns"], options: ["rule"] });
    expect(() => clusterOptions({ k: 3, algorithm, rule: "tin" }, "options")).not.toThrow();
  });

  it("is in reports", async () => {
    const clustering = await cluster(people, asked);
    expect(clusterReport(clustering.result, [])).toContain("toy");
    const page = renderReport({ people, clustering });
    expect(page).toContain("toy: one pass of k-means");
    expect(page).toContain("Toys (Toymaker 2026)");
    expect(page).toContain("This method (toy) looks for tight clusters only. The bounds were measured, not enforced");
  });

  it("is on cards and in policies", () => {
    const parties = "parties:\n  a: { features: [x], protect: [sex] }\n  b: { features: [y] }\n";
    const card = cardOf(`algorithm: toy\nk: 3\n${parties}`, "job.yaml", submission);
    expect(card.algorithm).toBe("toy");
    expect(groupsPromised(card)).toBe(false);
    expect(() => cardOf(`algorithm: toy\nk: 3\nminSize: 5\n${parties}`, "job.yaml", submission)).toThrow(
      "toy keeps no sizes: use f3km or teb",
    );
    expect(policyTemplate(["alice"])).toMatch(/# f3km, .*, toy; ffalm-global, .*, dull; align\n/);
  });
});

describe("a new training method", () => {
  const algorithm = "dull" as MethodName;
  const [trainOn, test] = [unfairExamples(300, 1), unfairExamples(100, 2)];
  const data = unfairLearning(trainOn, test);
  const asked = { algorithm, rounds: 2, parties: 3, threads: 1 } as const;

  it("learns, and is reported", async () => {
    const { model, result } = await train(data, asked);
    expect(model).toEqual((await train(data, { ...asked, algorithm: "fedavg" })).model);
    expect(result).toMatchObject({ algorithm: "dull", fairness: "ap" });
    expect(trainReport(result, [])).toMatch(/^dull /m);
  });

  it("refuses what is not among its options", async () => {
    await expect(train(data, { ...asked, fairness: "eo" })).rejects.toThrow("dull seeks ap alone");
    await expect(train(data, { ...asked, beta: 1 })).rejects.toThrow(
      "`beta` is for ffalm-global, ffalm, fairfed, fpfl,",
    );
  });

  it("is in the help, in the list of algorithms and among the library's options", async () => {
    expect(await helpOf("train")).toMatch(/fedavg, dull \(default: ffalm-global\)/);
    expect(await helpOf("train")).toContain("(default: eo; ap in ffalm, fpfl, dull; dp in fairfed)");
    expect(methods.at(-1)).toMatchObject({ name: "dull", fairness: ["ap"], options: { eta: 0.25 } });
    expect(() => trainOptions({ algorithm }, "options")).not.toThrow();
  });

  it("is on cards", () => {
    const columns = "{ features: [x], protect: [sex] }";
    const text = `algorithm: dull\nsplit: rows\ngroups: { sex: [F, M] }\ntrain: { label: hired, classes: [no, yes], eta: 0.5 }
parties: { a: ${columns}, b: ${columns}, c: ${columns} }\n`;
    expect(cardOf(text, "job.yaml", submission).algorithm).toBe("dull");
    expect(() => cardOf(text.replace("eta", "beta"), "job.yaml", submission)).toThrow(/^job.yaml: beta is for /);
  });
});
