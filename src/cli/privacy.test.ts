import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { smallTable, Workplace } from "./testing/command.js";

/** Stands for what a cell holds: it must never turn up in what the command says. */
const canary = "Canary-4711";
const work = new Workplace();

beforeAll(async () => {
  const people = smallTable();
  work.write("people.csv", people);
  work.write("text.csv", people.replace(/,10,10,/, `,${canary},10,`));
  work.write("late.csv", `age,name\n${"1,x\n2,y\n".repeat(15_000)}${canary},z\n`);
  work.write("twice.csv", `${people}${canary},1,1,F\n${canary},2,2,M\n`);
  work.write("wide.csv", `${people}${canary},1,1,F,${canary}\n`);
  work.write("narrow.csv", `${people}${canary},1\n`);
  work.write("quote.csv", `${people}"${canary},1,1,F\n`);
  work.write("unseen.csv", people.replace(",F", `,${canary}`));
  work.write("broken.json", `[{"age": 1, "name": "${canary}"}, {"age": ${canary}`);
  work.write("mixed.json", `[{"age": 1}, {"age": "${canary}"}]`);
  work.write("rows.csv", `row,cluster\n${canary},0\n1,1\n`);
  work.write("ids.csv", `person,cluster\n${canary},0\n${canary},1\n`);
  writeFileSync(work.path("latin.csv"), Buffer.from(`${people}${canary}\x81\x8d,1,1,F\n`, "latin1"));
  work.write("fake.parquet", `PAR1${canary.repeat(50)}PAR1`);
  expect((await work.run("generate", "people", "--n", "5000", "-o", "cut.parquet")).code).toBe(0);
  truncateSync(work.path("cut.parquet"), readFileSync(work.path("cut.parquet")).length / 2);
  const model = ["--categorical", "sex", "--model", "model.json"];
  expect((await work.run("cluster", "people.csv", "--k", "2", ...model)).code).toBe(0);
});

const k = ["--k", "2"];
const refused: [what: string, ...args: string[]][] = [
  ["text among numbers", "cluster", "text.csv", ...k, "--features", "age"],
  ["text late among numbers", "cluster", "late.csv", ...k, "--features", "age"],
  ["two people of one id", "cluster", "twice.csv", ...k, "--id", "person"],
  ["a cell too many", "cluster", "wide.csv", ...k],
  ["a cell too few", "cluster", "narrow.csv", ...k],
  ["an open quote", "cluster", "quote.csv", ...k],
  ["text in no encoding that is read", "cluster", "latin.csv", ...k],
  ["a category that the model has not seen", "predict", "unseen.csv", "--model", "model.json", "--labels", "out.csv"],
  ["broken JSON", "cluster", "broken.json", ...k],
  ["JSON of mixed types", "cluster", "mixed.json", ...k],
  ["a Parquet file that is none", "cluster", "fake.parquet", ...k],
  ["half a Parquet file", "cluster", "cut.parquet", ...k],
  ["a cast that fails", "cluster", "SELECT CAST(person AS INTEGER) AS a FROM 'twice.csv'", ...k],
  ["a cast of a whole column", "cluster", "SELECT sum(CAST(age AS DOUBLE)) AS a FROM 'late.csv'", ...k],
  ["an error made of data", "cluster", "SELECT error(person) AS a FROM 'twice.csv'", ...k],
  ["a query over a broken CSV", "cluster", "SELECT * FROM read_csv('wide.csv', auto_detect=true)", ...k, "--id", "sex"],
  ["a query over broken JSON", "cluster", "FROM 'broken.json'", ...k],
  ["a query over a broken Parquet file", "cluster", "FROM 'fake.parquet'", ...k],
  ["a date that is none", "cluster", "SELECT strptime(person, '%Y') AS a FROM 'twice.csv'", ...k],
  ["a pattern that is none", "cluster", "SELECT regexp_matches('x', '(' || person) AS a FROM 'twice.csv'", ...k],
  ["a table in the place of bounds", "cluster", "people.csv", ...k, "--protect", "sex", "--bounds", "twice.csv"],
  ["JSON rows in the place of bounds", "cluster", "people.csv", ...k, "--protect", "sex", "--bounds", "mixed.json"],
  ["a table in the place of a model", "predict", "people.csv", "--model", "twice.csv", "--labels", "out.csv"],
  ["JSON rows in the place of a model", "predict", "people.csv", "--model", "mixed.json", "--labels", "out.csv"],
  ["rows that are no numbers", "evaluate", "people.csv", "--labels", "rows.csv"],
  ["labels of strangers", "evaluate", "people.csv", "--labels", "ids.csv", "--id", "person"],
];

describe("no cell of a table is quoted, not even with --verbose", () => {
  it.concurrent.each(refused)("%s", async (_, ...args) => {
    const { code, stdout, stderr } = await work.run(...args, "--verbose");
    expect(stdout).toBe("");
    expect(stderr).not.toMatch(/canary/i);
    expect(stderr).toMatch(/^moiety: (?!unexpected)[^\n]+\n/);
    expect(code).toBe(2);
  });
});
