import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const features = ["--features", "age,income", "--categorical", "housing"];

beforeAll(async () => {
  expect((await work.run("generate", "people", "--n", "600", "--seed", "3", "-o", "people.csv")).code).toBe(0);
  const asked = ["cluster", "people.csv", "--k", "4", ...features, "--id", "person"];
  expect((await work.run(...asked, "--labels", "trained.csv", "--model", "model.json")).code).toBe(0);
});

describe("predict", () => {
  it("gives the people of an unconstrained model their labels back", async () => {
    const { code, stdout } = await work.run(
      "predict",
      "people.csv",
      "--model",
      "model.json",
      "--id",
      "person",
      "--labels",
      "again.csv",
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^600 people in 4 clusters, each by the nearest centre of the lloyd model$/m);
    expect(work.read("again.csv")).toBe(work.read("trained.csv"));
  });

  it("needs only the model's columns, and goes by row without --id", async () => {
    const newcomers = ["SELECT age, income, housing FROM 'people.csv' LIMIT 10", "--model", "model.json"];
    const { code, stdout, stderr } = await work.run("predict", ...newcomers, "--labels", "new.csv", "--json");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ algorithm: "lloyd", n: 10, k: 4 });
    expect(work.read("new.csv")).toMatch(/^row,cluster\n0,\d\n1,\d\n/);
  });

  it("says which column is missing", async () => {
    const asked = ["SELECT age, income FROM 'people.csv'", "--model", "model.json", "--labels", "none.csv"];
    const { code, stderr } = await work.run("predict", ...asked);
    expect(stderr).toMatch(/^moiety: unknown column 'housing'.*\n$/);
    expect(code).toBe(2);
    expect(work.files()).not.toContain("none.csv");
  });
});

describe("generate", () => {
  it.each(["people", "blobs", "census", "twomoon", "gaussian18", "grid"])(
    "%s gives the same file for the same seed",
    async (kind) => {
      await work.run("generate", kind, "--n", "200", "--seed", "7", "-o", "a.csv");
      const { code, stdout } = await work.run("generate", kind, "--n", "200", "--seed", "7", "-o", "b.csv", "--json");
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ kind, seed: 7, rows: 200, output: "b.csv" });
      expect(work.read("b.csv")).toBe(work.read("a.csv"));
      expect(work.read("a.csv").trimEnd().split("\n")).toHaveLength(201);
    },
  );

  it("takes a kind's own options", async () => {
    const asked = ["--d", "4", "--k", "3", "--sd", "0.5", "--json", "-o", "blobs.parquet"];
    const { stdout } = await work.run("generate", "blobs", "--n", "100", ...asked);
    expect(JSON.parse(stdout).columns.map(({ name }: { name: string }) => name)).toContain("x3");
  });
});
