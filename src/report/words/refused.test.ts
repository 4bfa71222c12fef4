import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import { Workplace } from "../../cli/testing/command.js";
import { checkFeasible, type Requirements } from "../../constraints/feasibility/index.js";
import { smallRequests } from "../../constraints/testing/brute-force.js";
import { refused } from "../../explore/testing/bad-files.js";
import type { ClusterOptions } from "../../index.js";
import { readTable } from "../../table/disk/index.js";
import { encodingGuess } from "../../table/formats.js";
import { type Cell, type PeopleOptions, preparePeople, tableFromColumns, tableFromCsv } from "../../table/index.js";
import { inGerman } from "./said-de.js";

/** Words that these sentences have in English and not in German. */
const english =
  /\b(the|is|are|of|and|or|to|people|not|with|from|which|clusters|rows?|cells?|columns?|each|use|leave)\b/;

/** Numbers, and what stands between quotes or backticks. */
function factsIn(sentence: string): string[] {
  const named = sentence.match(/'[^']*'|`[^`]*`/g) ?? [];
  return [...named, ...(sentence.match(/\d+(?:[.,]\d+)?/g) ?? []).map((number) => number.replace(",", "."))].sort();
}

function expectGerman(sentence: string): void {
  const german = inGerman(sentence);
  expect([sentence, german]).toEqual([sentence, expect.any(String)]);
  expect(german?.replace(/'[^']*'|`[^`]*`|\S+\.\w+/g, "")).not.toMatch(english);
  expect(factsIn(german ?? ""), sentence).toEqual(factsIn(sentence));
}

/** What is said of something that is refused. */
async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    expect(error).toMatchObject({ name: "MoietyError" });
    return (error as Error).message;
  }
  throw new Error("it was not refused");
}

const work = new Workplace();
const n = 60;

function column<Value extends Cell>(of: (i: number) => Value): Value[] {
  return Array.from({ length: n }, (_, i) => of(i));
}

const columns = {
  age: column((i) => 20 + ((i * 7) % 50)),
  income: column((i) => 1000 + ((i * 7919) % 101)),
  holes: column((i) => (i % 9 === 0 ? null : i % 11)),
  same: column(() => 3),
  endless: column((i) => (i < 2 ? Number.POSITIVE_INFINITY : i)),
  sex: column((i) => (i % 3 ? "F" : "M")),
  name: column((i) => `name ${i}`),
  town: column((i) => (i % 8 === 0 ? null : "here")),
};

/** Numbers but for two cells. */
const nearlyNumbers = `age,x\n${column((i) => `${20 + i},${i === 7 || i === 9 ? "?!" : i * i}`).join("\n")}\n`;

describe("why something is refused is there in German, with its numbers and names", () => {
  it.each(refused)("of %s", async (name, content) => {
    writeFileSync(work.path(name), content);
    expectGerman((await refusalOf(() => readTable(work.path(name)))).replaceAll(work.path(name), name));
  });

  it("of files that are not there, or in another encoding", async () => {
    expectGerman((await refusalOf(() => readTable("nobody.csv"))).replaceAll("nobody.csv", "x.csv"));
    expectGerman(await refusalOf(() => readTable("src")));
    expectGerman(encodingGuess("a.csv"));
    expectGerman("cannot read a.csv: it is a folder, or was moved, changed or removed since it was chosen");
  });

  it.each<[options: PeopleOptions]>([
    [{ features: ["holes"] }],
    [{ features: ["age"], protect: ["town"] }],
    [{ features: ["age"], protect: ["town"], missing: "drop" }],
    [{ features: ["same"] }],
    [{ features: ["endless"] }],
    [{ features: ["name"] }],
    [{ features: ["sex"] }],
    [{ features: ["agee"] }],
    [{ features: ["nothing like it"] }],
    [{ exclude: ["age", "income", "holes", "same", "endless"] }],
    [{ features: ["age"], protect: ["name"] }],
    [{ features: ["income"], protect: ["age"] }],
    [{ features: ["age"], id: "sex" }],
    [{ features: ["age"], weights: "same", protect: ["town"] }],
    [{ features: ["age"], id: "holes" }],
  ])("of a table used with %j", async (options) => {
    expectGerman(await refusalOf(() => preparePeople(tableFromColumns(columns), options)));
  });

  it.each([
    [nearlyNumbers, {}],
    [nearlyNumbers, { features: ["x"] }],
    ['age,x\n1,"1,234"\n2,"5,678"\n3,"2,345"\n', { features: ["x"] }],
    ["age,x\n1,\n2,\n3,\n", { features: ["x"] }],
    ["a,b\n3,3\n3,3\n", {}],
  ])("of text %j used with %j", async (text, options: PeopleOptions) => {
    expectGerman(await refusalOf(() => preparePeople(tableFromCsv(text), options)));
  });

  it.each([{ a: [1, "x"] }, { a: [[1], [2]] }, { a: [1, true] }, { a: [] }, {}])("of columns %j", async (given) => {
    expectGerman(await refusalOf(() => tableFromColumns(given as unknown as Record<string, Cell[]>)));
  });

  it("of requests that nobody can meet, with the nearest that can be met", async () => {
    let seen = 0;
    const check = async (asked: Requirements) => {
      for (const effort of ["quick", "usual"] as const) {
        const told = await checkFeasible(asked, { effort }).then(
          () => undefined,
          (error: Error) => error.message,
        );
        if (told === undefined) continue;
        seen++;
        // Groups and attributes have English names here.
        expectGerman(told.replaceAll(/(attribute|group) (\d)/g, "$1$2"));
      }
    };
    await fc.assert(fc.asyncProperty(smallRequests(), check), { numRuns: 300 });
    expect(seen).toBeGreaterThan(100);
  });

  it.each<[options: Partial<ClusterOptions>, weights?: string]>([
    [{ k: 70 }],
    [{ k: 20, minSize: 5 }],
    [{ k: 20, maxSize: 2 }],
    [{ k: 3, minSize: 30, maxSize: 5 }],
    [{ k: 11, delta: 0, tolerance: 0, minSize: 5, maxSize: 6 }],
    [{ k: 30, minSize: "meaningful" }],
    [{ k: 3, bounds: { sex: { F: { min: 0.9 }, M: { max: 0.1 } } } }],
    [{ k: 3, bounds: { sex: { F: { min: 0.6 }, M: { min: 0.6 } } } }],
    [{ k: 2, capacity: [{ max: 10 }, { max: 20 }] }],
    [{ k: 2, balance: "hard" }, "age"],
    [{ k: 3, minSize: 900 }, "age"],
    [{ k: 7, tolerance: 0, delta: 0, minSize: 250, maxSize: 270 }, "age"],
  ])("of clusters with %j, weighed by %s", async (options, weights) => {
    const people = preparePeople(tableFromColumns(columns), {
      ...{ features: ["income"], protect: ["sex"] },
      ...(weights ? { weights } : {}),
    });
    expectGerman(await refusalOf(() => cluster(people, { threads: 1, ...options } as ClusterOptions)));
  });
});
