import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(async () => {
  await work.run("generate", "people", "--n", "400", "--seed", "5", "-o", "people.csv");
  const [head, ...rows] = work.read("people.csv").trim().split("\n");
  work.write("first.csv", `${[head, ...rows.slice(0, 250)].join("\n")}\n`);
  work.write("others.csv", `${[head, ...rows.slice(250)].join("\n")}\n`);
});

async function json(...args: string[]) {
  const { code, stdout, stderr } = await work.run(...args, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const small = ["--features", "income,hours"];

describe("--protect age:40,60", () => {
  const cuts = ["--protect", "sex,age:40,60,ethnicity", ...small];
  const groups = ["<40", "40 to <60", "60+"];

  it("makes groups in cluster, its report and its model, and bounds refer to their names", async () => {
    work.write("bounds.json", '{"age": {"40 to <60": {"min": 0.1, "max": 0.9}, "60+": {"max": 0.8}}}');
    const files = ["--labels", "labels.csv", "--model", "model.json", "--report", "report.html"];
    const result = await json("cluster", "people.csv", "--k", "2", ...cuts, "--bounds", "bounds.json", ...files);
    expect(Object.keys(result.groups)).toEqual(["sex", "age", "ethnicity"]);
    expect(Object.keys(result.groups.age)).toEqual(groups);
    expect(result.bounds.age["60+"]).toEqual({ min: 0, max: 0.8 });
    expect(JSON.parse(work.read("model.json")).provenance.protected).toEqual(["sex", "age", "ethnicity"]);
    expect(work.read("report.html")).toContain("40 to &lt;60");
    const wrong = await work.run("cluster", "people.csv", "--k", "2", "--protect", "age:30", "--bounds", "bounds.json");
    expect(wrong.stderr).toMatch(/unknown group of age '40 to <60'/);
    expect(await json("predict", "others.csv", "--model", "model.json", "--labels", "new.csv")).toMatchObject({
      n: 150,
    });
  });

  it("and in sweep and evaluate", async () => {
    expect(await json("sweep", "people.csv", "--k", "2", "--delta", "0.3", ...cuts)).toMatchObject({ n: 400 });
    const evaluated = await json("evaluate", "people.csv", "--labels", "labels.csv", ...cuts);
    expect(Object.keys(evaluated.groups.age)).toEqual(groups);
  });

  it("in an intersection", async () => {
    const result = await json(
      "cluster",
      "people.csv",
      "--k",
      "2",
      "--protect",
      "sex*age:40",
      "--delta",
      "0.5",
      ...small,
    );
    expect(Object.keys(result.groups["sex*age"]).slice(0, 2)).toEqual(["F & <40", "F & 40+"]);
  });

  it("of people learnt from, also of those measured on", async () => {
    const train = [
      "--label",
      "housing",
      "--positive",
      "rent",
      "--rounds",
      "2",
      "--parties",
      "2",
      "--features",
      "income",
    ];
    for (const age of ["age:40,60", "age:tertiles"]) {
      const asked = ["train", "first.csv", "--test-file", "others.csv", ...train, "--protect", age];
      const result = await json(...asked);
      expect(result.protected).toBe("age");
      expect(Object.keys(result.perGroup)).toHaveLength(3);
    }
    const result = await json("train", "people.csv", ...train, "--protect", "sex*age:quartiles", "--max-groups", "12");
    expect(Object.keys(result.perGroup).length).toBeLessThanOrEqual(12);
  });
});

describe("groups of numbers", () => {
  it.each<[string[], RegExp]>([
    [["--protect", "age"], /'age' has \d+ different numbers; make groups of them, such as age:25,40,65 or age:quart/],
    [["--protect", "age:60,40"], /cuts of 'age' are '60,40': give numbers from small to large/],
    [["--protect", "sex:40"], /'sex' is not numeric, and cannot be cut/],
    [["--protect", "aeg:40"], /unknown column 'aeg'; did you mean 'age'\?/],
    [["--protect", "visits:deciles"], /'visits:deciles' cannot be made: too many people have the same value/],
    [["--protect", "sex*ethnicity*job*housing"], /groups, and 100 are allowed; merge some, or use --max-groups \d+/],
    [["--protect", "job", "--max-groups", "3"], /'job' has \d+ groups, and 3 are allowed/],
    [["--protect", "sex", "--max-groups", "1"], /--max-groups is '1': give a whole number from 2 to 65535/],
    [["--protect", "age:quartiles", "--algorithm", "dp-fair", "--epsilon", "1"], /not for dp-fair.*without noise/],
  ])("%s is refused in one line", async (asked, says) => {
    const { code, stdout, stderr } = await work.run(
      "cluster",
      "people.csv",
      "--k",
      "2",
      ...asked,
      "--features",
      "income",
    );
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^moiety: [^\n]+\n$/);
    expect([code, stdout]).toEqual([2, ""]);
  });
});
