import { beforeAll, describe, expect, it } from "vitest";
import { cardOf } from "../federation/consent/card.js";
import { checkScannable } from "../scans/checks.js";
import { Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(async () => {
  await work.run("generate", "people", "--n", "400", "-o", "people.csv");
});

it.each(["social", "individual"])("%s needs everybody in memory", (notion) => {
  expect(() => checkScannable({ notion }, "streamed")).toThrow(
    /needs everybody in memory, since .*allow more `memory`/,
  );
});

describe("notions of fairness", () => {
  it.each([
    ["social", "--protect sex,ethnicity", /Least found: the worst-off group/, "What each group costs"],
    ["representation", "--protect ethnicity --represent 0.3", /Fair: every group has at least 30.0%/, "represented"],
    ["individual", "--factor 2", /Fair: nobody is further from the nearest centre/, "How near everybody"],
  ])("%s is told in text, page and JSON, and evaluate measures the same", async (notion, asked, says, title) => {
    const common = `--id person --notion ${notion} ${asked}`.split(" ");
    const files = ["--labels", "labels.csv", "--model", "model.json", "--report", "report.html"];
    const run = await work.run("cluster", "people.csv", "--k", "4", ...common, ...files);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(says);
    expect(work.read("report.html")).toContain(title);
    const json = JSON.parse((await work.run("cluster", "people.csv", "--k", "4", ...common, "--json")).stdout);
    expect(json.notion.name).toBe(notion);
    const centres = notion === "representation" ? [] : ["--model", "model.json"];
    const measured = await work.run(
      "evaluate",
      "people.csv",
      "--labels",
      "labels.csv",
      ...common,
      ...centres,
      "--json",
    );
    const seen = JSON.parse(measured.stdout);
    expect(seen).toMatchObject({ fair: json.fair, verdict: json.verdict });
    if (notion === "social") expect(seen.notion.worst.cost).toBeCloseTo(json.notion.worst.cost, 6);
    if (notion === "individual") expect(seen.notion.largestRatio).toBeCloseTo(json.notion.largestRatio, 6);
    if (notion === "representation") expect(seen.notion.represented).toEqual(json.notion.represented);
  });

  it.each([
    ["cluster people.csv --k 3 --notion sociall", /unknown notion 'sociall'; did you mean 'social'/],
    ["cluster people.csv --k 3 --notion social", /--notion social is about groups.*--protect/],
    ["cluster people.csv --k 3 --protect sex --notion social --delta 0.1", /--delta is for --notion shares/],
    ["cluster people.csv --k 3 --protect sex --notion social --parties 3", /would take the groups away/],
    ["cluster people.csv --k 3 --notion individual --factor 0.9", /--factor is '0.9'/],
    ["cluster people.csv --k 3 --notion individual --distance manhattan", /Euclidean/],
    ["cluster people.csv --k 3 --protect sex --notion representation", /--represent is missing/],
    [
      "cluster people.csv --k 3 --protect sex --notion representation --represent 0.6 --in-clusters 2",
      /a cluster has room for 1 of them/,
    ],
    ["cluster people.csv --k 3 --protect sex --notion social --weights income", /--weights is for shares/],
    ["cluster people.csv --k 3 --protect sex --factor 2", /--factor is for --notion individual/],
  ])("refuses %s", async (asked, says) => {
    const { code, stderr } = await work.run(...asked.split(" "));
    expect(stderr).toMatch(says);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(2);
  });
});

it("does not hold newcomers to bounds that a model of another notion has not", async () => {
  const asked = "--k 4 --id person --protect sex --notion social --model social.json".split(" ");
  await work.run("cluster", "people.csv", ...asked);
  const { code, stderr } = await work.run(
    "assign",
    "people.csv",
    "--model",
    "social.json",
    "--id",
    "person",
    "--labels",
    "new.csv",
  );
  expect(stderr).toMatch(/model/);
  expect(code).toBe(2);
});

it("is refused in jobs of a federation, with the reason", () => {
  const submission = { federation: "f", analyst: "a", nonce: "0".repeat(32) };
  const card = () => cardOf("algorithm: f3km\nk: 3\nnotion: social\n", "job.yaml", submission);
  expect(card).toThrow(/notion: social is not for a federation, since .* away from whoever holds them/);
});
