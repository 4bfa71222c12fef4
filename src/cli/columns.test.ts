import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const n = 40;

beforeAll(() => {
  const lines = Array.from({ length: n }, (_, i) => {
    const far = i % 2 === 0 ? 0 : 10;
    const sex = i % 4 < 2 ? "F" : "M";
    return `${1000 + i * 17},${i},${far + (i % 5) / 10},${far + (i % 3) / 10},2024,${sex},town ${i % 9}`;
  });
  work.write("people.csv", `ID,Sequence,age,income,year,sex,town\n${lines.join("\n")}\n`);
});

interface Used {
  features: string[];
  leftOut: { column: string; why: string }[];
}

const leftOut = [
  { column: "ID", why: "looks like an id" },
  { column: "Sequence", why: "looks like an id (consecutive whole numbers)" },
  { column: "year", why: "the same value for all people" },
  { column: "town", why: "text" },
];

async function json(...args: string[]): Promise<Used> {
  const { code, stdout, stderr } = await work.run(...args, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe("results say which columns were used and which were not", () => {
  it("cluster: in the JSON, on the terminal and in the report", async () => {
    const asked = ["cluster", "people.csv", "--k", "2", "--protect", "sex"];
    const files = ["--labels", "labels.csv", "--model", "model.json", "--report", "report.html"];
    expect(await json(...asked, ...files)).toMatchObject({ d: 2, features: ["age", "income"], leftOut });
    const { stdout } = await work.run(...asked);
    expect(stdout).toMatch(/^Features: age, income$/m);
    expect(stdout).toMatch(
      /^Left out: ID \(looks like an id\); Sequence \(.*\); year \(the same value for all people\); town \(text\)$/m,
    );
    const report = work.read("report.html");
    for (const { column, why } of leftOut) expect(report).toMatch(new RegExp(`${column}</bdi>: ${why.slice(0, 16)}`));
  });

  it("with --features the others are named without being read", async () => {
    const used = await json("cluster", "people.csv", "--k", "2", "--protect", "sex", "--features", "age", "--id", "ID");
    expect(used.features).toEqual(["age"]);
    const why = "not named among the features";
    expect(used.leftOut).toEqual(["Sequence", "income", "year", "town"].map((column) => ({ column, why })));
  });

  it("sweep and evaluate", async () => {
    const report = ["--report", "sweep.html"];
    const sweep = ["sweep", "people.csv", "--k", "2", "--delta", "0.2,0.4", "--protect", "sex"];
    expect(await json(...sweep, ...report)).toMatchObject({ features: ["age", "income"], leftOut });
    expect(work.read("sweep.html")).toMatch(/Sequence<\/bdi>: looks like an id/);
    const evaluate = ["evaluate", "people.csv", "--labels", "labels.csv", "--protect", "sex", "--truth", "town"];
    expect(await json(...evaluate)).toMatchObject({ features: ["age", "income"], leftOut: leftOut.slice(0, 3) });
    expect((await work.run(...evaluate)).stdout).toMatch(/^Left out: ID/m);
  });

  it("train and predict", async () => {
    const train = ["train", "people.csv", "--label", "sex", "--protect", "town", "--rounds", "2", "--parties", "2"];
    expect(await json(...train)).toMatchObject({ features: ["age", "income"], leftOut: leftOut.slice(0, 3) });
    const used = await json("predict", "people.csv", "--model", "model.json", "--labels", "new.csv");
    expect(used.features).toEqual(["age", "income"]);
    expect(used.leftOut).toContainEqual({ column: "sex", why: "not in the model" });
  });

  it("long lists are short on the terminal, and whole in the JSON", async () => {
    const names = Array.from({ length: 60 }, (_, j) => `measure${j}`);
    const lines = Array.from({ length: 30 }, (_, i) =>
      names.map((_, j) => ((i * i * (j + 3)) % 13) + (i % 3)).join(","),
    );
    work.write("wide.csv", `${names.join(",")}\n${lines.join("\n")}\n`);
    const { stdout } = await work.run("cluster", "wide.csv", "--k", "2");
    expect(stdout).toMatch(/^Features: measure0, measure1, .* and \d+ more$/m);
    expect(stdout).not.toContain("measure59");
    expect((await json("cluster", "wide.csv", "--k", "2")).features).toEqual(names);
  });
});

describe("people left out for missing values", () => {
  const asked = ["--protect", "sex", "--missing", "drop", "--features", "age,income"];

  beforeAll(() => {
    const [head, ...rows] = work.read("people.csv").trim().split("\n");
    const holes = rows.map((row, i) => (i % 4 === 0 && i < 20 ? row.replace(/^(\d+,\d+),[^,]*/, "$1,") : row));
    work.write("holes.csv", `${[head, ...holes].join("\n")}\n`);
  });

  const groups = {
    sex: { F: { people: 5, before: 0.5, after: 15 / 35 }, M: { people: 0, before: 0.5, after: 20 / 35 } },
  };
  const warning = /share of groups by over 5%: sex F 50\.0% to 42\.9%, sex M 50\.0% to 57\.1%/;

  it("are counted by group in the JSON, on the terminal and in the report of a clustering", async () => {
    const command = ["cluster", "holes.csv", "--k", "2", ...asked, "--report", "holes.html"];
    const { code, stdout, stderr } = await work.run(...command, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).dropped).toEqual({ rows: 5, of: 40, groups });
    expect(stderr).toMatch(warning);
    expect((await work.run(...command)).stdout).toMatch(/^Values missing: 5 of 40 rows left out; sex: F 5, M 0$/m);
    const report = work.read("holes.html");
    expect(report).toMatch(/5 of 40 rows were left out because a value is missing/);
    expect(report).toMatch(/<bdi>F<\/bdi><\/th><td class="n">5<\/td><td class="n">50\.0%<\/td><td class="n">42\.9%/);
    expect(report).toMatch(warning);
  });

  it("by a sweep and a training, those without a label too", async () => {
    const sweep = await work.run("sweep", "holes.csv", "--k", "2", "--delta", "0.4", ...asked, "--json");
    expect(JSON.parse(sweep.stdout).dropped).toEqual({ rows: 5, of: 40, groups });
    expect(sweep.stderr).toMatch(warning);
    const [head, ...rows] = work.read("holes.csv").trim().split("\n");
    const unlabelled = rows.map((row, i) => (i === 1 || i === 2 ? row.replace(/town.*/, "") : row));
    work.write("labels-lost.csv", `${[head, ...unlabelled].join("\n")}\n`);
    const train = [
      "train",
      "labels-lost.csv",
      "--label",
      "town",
      "--positive",
      "town 3",
      "--rounds",
      "2",
      "--parties",
      "2",
    ];
    const { stdout, stderr } = await work.run(...train, ...asked, "--json");
    expect(stderr).toMatch(/2 of 40 rows left out: the label is missing/);
    const { dropped } = JSON.parse(stdout);
    expect(dropped).toMatchObject({ rows: 7, of: 40, groups: { sex: { F: { people: 6 }, M: { people: 1 } } } });
  });

  it("null where nobody is", async () => {
    const { stdout } = await work.run("cluster", "people.csv", "--k", "2", ...asked, "--json");
    expect(JSON.parse(stdout).dropped).toBeNull();
  });
});
