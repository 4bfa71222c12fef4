import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { version } from "../version.js";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const commands = [
  "cluster",
  "describe",
  "sweep",
  "train",
  "predict",
  "group",
  "evaluate",
  "generate",
  "align",
  "audit",
  "budget",
  "algorithms",
  "provision",
  "members",
  "coordinator",
  "party",
  "demo",
  "init",
  "doctor",
  "completion",
  "bench",
];

describe("help", () => {
  it.each(commands)("of %s ends with an example", async (name) => {
    const { code, stdout, stderr } = await work.run(name, "--help");
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toMatch(new RegExp(`^Usage: moiety ${name} `));
    expect(stdout.trimEnd().split("\n").slice(-3).join("\n")).toMatch(new RegExp(`\\$ moiety ${name}\\b`));
  });

  it("of the whole names every command", async () => {
    const { code, stdout } = await work.run("--help");
    expect(code).toBe(0);
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  });

  it("is what somebody sees who asks for nothing, as wrong usage", async () => {
    const { code, stdout, stderr } = await work.run();
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^Usage: moiety /);
  });

  it("names every option of the contract that there is", async () => {
    const { stdout } = await work.run("cluster", "--help");
    const columns = [
      "features",
      "exclude",
      "na",
      "decimal",
      "categorical",
      "protect",
      "id",
      "scale",
      "missing",
      "delta",
      "bounds",
      "tolerance",
    ];
    const search = ["k", "algorithm", "init", "starts", "max-iter", "block", "seed", "threads", "parties", "solver"];
    for (const option of [
      ...columns,
      ...search,
      "min-size",
      "max-size",
      "balance",
      "rule",
      "split",
      "split-by",
      "min-count",
      "labels",
      "model",
      "json",
      "verbose",
    ]) {
      expect(stdout).toMatch(new RegExp(`^  (-\\w, )?--${option}\\b`, "m"));
    }
  });
});

it("is complete in the reference", async () => {
  const reference = readFileSync(new URL("../../docs/reference/command-line.md", import.meta.url), "utf8");
  for (const name of [...commands.filter((each) => each !== "audit"), "audit verify"]) {
    const { stdout } = await work.run(...name.split(" "), "--help");
    const options = Array.from(stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm), ([, option]) => option);
    expect(options.length).toBeGreaterThan(0);
    for (const option of options) expect(reference).toMatch(new RegExp(`\`${option}\\b`));
  }
});

it("--version is that of the package", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect((await work.run("--version")).stdout).toBe(`${manifest.version}\n`);
  expect((await work.start("--version").done).stdout).toBe(`${manifest.version}\n`);
  expect(version).toBe(manifest.version);
});

it("algorithms lists names and papers, also as JSON", async () => {
  const { stdout } = await work.run("algorithms");
  const list = JSON.parse((await work.run("algorithms", "--json")).stdout) as { name: string; paper: string }[];
  const clustering = [
    "bcls",
    "cdkm",
    "dp-fair",
    "f3km",
    "fair-lloyd",
    "fair-lp",
    "fair-radius",
    "fcfc",
    "fkm",
    "fkm-plus",
    "kfed",
    "lloyd",
    "teb",
  ];
  const learning = ["fairfed", "fedavg", "ffalm", "ffalm-global", "fpfl"];
  expect(list.map(({ name }) => name).sort()).toEqual([...clustering, ...learning].sort());
  for (const { name, paper } of list) {
    expect(stdout).toMatch(new RegExp(`^${name} `, "m"));
    expect(stdout).toContain(paper);
  }
});
