import { existsSync, readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { places, type Requested, reach, reachHelp, type Whereabouts, whyNot } from "../algorithms/reach.js";
import { cardOf } from "../federation/consent/card.js";
import { asFlags } from "./flags.js";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const query =
  "SELECT *, 1 + mod(visits, 3) AS weight, CAST(substr(person, 2) AS INT) // 2 AS home, CAST(substr(person, 2) AS INT) // 3 AS class FROM 'people.csv'";
const usual = ["--features", "age,income", "--protect", "region", "--id", "person"];

/** What is asked of moiety cluster. */
const asked = {
  init: ["--k", "3", ...usual, "--init", "model.json"],
  weights: ["--k", "3", ...usual, "--weights", "weight"],
  together: ["--k", "3", ...usual, "--together", "home"],
  apart: ["--k", "4", ...usual, "--apart", "class"],
  capacity: ["--capacity", "sizes.csv", ...usual],
  seats: ["--seats", "places.csv", ...usual],
  cost: ["--cost", "SELECT person, age AS north, 90 - age AS south FROM 'people.csv'", "--id", "person"],
  manhattan: ["--k", "3", ...usual, "--distance", "manhattan"],
  gbco: ["--k", "3", "--features", "age,income", "--algorithm", "teb", "--rule", "gbco", "--id", "person"],
  categoryWeight: ["--k", "3", ...usual, "--categorical", "job,housing", "--category-weight", "0.5"],
  social: ["--k", "3", ...usual, "--notion", "social"],
  representation: ["--k", "3", ...usual, "--notion", "representation", "--represent", "0.5"],
  individual: ["--k", "3", ...usual, "--notion", "individual"],
} as const satisfies Partial<Record<Requested, readonly string[]>>;
const clustered = Object.keys(asked) as (keyof typeof asked)[];

beforeAll(async () => {
  await work.run("generate", "people", "--n", "400", "--seed", "5", "-o", "people.csv");
  work.write("places.csv", "age,income\n30,20000\n45,60000\n60,25000\n");
  work.write("sizes.csv", "min,max\n80,200\n80,\n80,200\n");
  const { code } = await work.run("cluster", query, "--k", "3", ...usual, "--model", "model.json");
  expect(code).toBe(0);
});
afterAll(() => {
  delete process.env.MOIETY_STREAM;
});

/** A command over people who are streamed, though they would fit. */
async function streamed(...args: string[]) {
  process.env.MOIETY_STREAM = "always";
  const done = await work.run(...args);
  delete process.env.MOIETY_STREAM;
  return done;
}

/** The labels that a run has written, by id. */
function labels(): string {
  const written = work.read("labels.csv").trim().split("\n").sort().join("\n");
  rmSync(work.path("labels.csv"));
  return written;
}

describe.each(clustered)("%s", (request) => {
  const run = (source: string, ...more: string[]) =>
    ["cluster", source, ...asked[request], ...more, "--labels", "labels.csv", "--json"] as const;
  const ways: readonly (readonly [Whereabouts, string, () => ReturnType<typeof streamed>])[] = [
    ["columns", "columns split", () => work.run(...run(query, "--parties", "3"))],
    ["rows", "rows split", () => work.run(...run(query, "--parties", "3", "--split", "rows"))],
    ["scanned", "streamed", () => streamed(...run(query))],
    ["scanned", "in DuckDB", () => work.run(...run(`:memory:?query=${query}`))],
  ];
  let scanned: string | undefined;

  it.each(ways)("%s: %s", async (place, _, begin) => {
    const { code, stderr, stdout } = await begin();
    const why = whyNot(request, place);
    if (why !== undefined) {
      expect(stderr).toContain(why);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect([code, stdout, existsSync(work.path("labels.csv"))]).toEqual([2, "", false]);
      return;
    }
    expect([stderr, code]).toEqual(["", 0]);
    const found = labels();
    // With columns split, and at given places, everybody is where they are on one machine.
    if (place === "columns" || (request === "seats" && place === "scanned")) {
      await work.run(...run(query));
      expect(found).toBe(labels());
    }
    // An engine finds what a stream finds.
    if (place !== "scanned") return;
    scanned ??= found;
    expect(found).toBe(scanned);
  });
});

describe("newcomers", () => {
  const joining = {
    assign: ["assign", "--model", "model.json"],
    togetherWith: ["assign", "--model", "model.json", "--together-with"],
    online: ["assign", "--model", "model.json", "--online"],
    predict: ["predict", "--model", "model.json", "--protect", "region"],
  } as const satisfies Partial<Record<Requested, readonly string[]>>;

  it.each(Object.keys(joining) as (keyof typeof joining)[])("%s, scanned as in memory or refused", async (request) => {
    const [command, ...others] = joining[request];
    const args = [...others, "--id", "person", "--labels", "labels.csv"];
    const ways = [await streamed(command, query, ...args)];
    const found = existsSync(work.path("labels.csv")) ? [labels()] : [];
    ways.push(await work.run(command, `:memory:?query=${query}`, ...args));
    if (existsSync(work.path("labels.csv"))) found.push(labels());
    const why = whyNot(request, "scanned");
    if (why !== undefined) {
      for (const { code, stderr } of ways) expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
      return expect(found).toEqual([]);
    }
    expect(ways.map(({ code }) => code)).toEqual([0, 0]);
    expect(found[0]).toBe(found[1]);
  });
});

it.each([
  ["update", ["update", "model.json", `:memory:?query=${query}`]],
  ["group", ["group", `:memory:?query=${query}`, "--size", "5"]],
  ["lottery", ["group", `:memory:?query=${query}`, "--lottery", "--seats", "5"]],
] as const)("%s is refused over an engine", async (request, args) => {
  const { code, stderr } = await work.run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(whyNot(request, "scanned")!)]);
});

it("gap is certified where it is said to be", async () => {
  const run = ["cluster", query, "--k", "3", ...usual, "--json"] as const;
  const gapOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).gap;
  const found = {
    columns: gapOf(await work.run(...run, "--parties", "3")),
    rows: gapOf(await work.run(...run, "--parties", "3", "--split", "rows")),
    scanned: gapOf(await streamed(...run)),
  };
  for (const [place, gap] of Object.entries(found)) {
    expect(gap === null, place).toBe(whyNot("gap", place as Whereabouts) !== undefined);
  }
});

/** The word of a card for a request. */
const words: Partial<Record<Requested, string>> = {
  ...{ init: "init: model.json", apart: "apart: class", cost: "cost: cost.parquet" },
  ...{ manhattan: "distance: manhattan", social: "notion: social", individual: "notion: individual" },
  gbco: "algorithm: teb\nrule: gbco",
  privateAttribute: "algorithm: dp-fair\nepsilon: 1\nprivate: attribute\nbox: { age: [0, 9], income: [0, 9] }",
  privateAll: "algorithm: dp-fair\nepsilon: 1\nprivate: all\nbox: { age: [0, 9], income: [0, 9] }",
  representation: "notion: representation\nrepresent: 0.3",
  categoryWeight: "categoryWeight: 0.5\ncategories: { job: [a, b] }",
  capacity: "capacity: [{ min: 20 }, { min: 20 }, { min: 20 }]",
  seats: "minSize: 20\nseats: [{ age: 1, income: 2 }, { age: 2, income: 3 }, { age: 4, income: 5 }]",
};

describe.each(["jobColumns", "jobRows"] as const)("%s", (place) => {
  const card = (request: Requested) => {
    const link = request === "weights" || request === "together" ? `, ${request}: home` : "";
    const job = request === "categoryWeight" ? ", categorical: [job]" : "";
    const columns = `a: { features: [age]${job}, protect: [sex]${link} }\n  b: { features: [income] }`;
    const own = `{ features: [age, income]${job}, protect: [sex]${link} }`;
    const rows = `a: ${own}\n  b: ${own}\n  c: ${own}`;
    const named = place === "jobRows" || request.startsWith("private") ? "\ngroups: { sex: [F, M] }" : "";
    const held = `split: ${place === "jobRows" ? "rows" : "columns"}${named}`;
    const asking = (words[request] ?? "").replace(
      place === "jobRows" || request === "privateAll" ? /^$/ : /\n(categories|box).*/,
      "",
    );
    return `k: 3\n${held}\ntolerance: 2\n${asking}\nparties:\n  ${place === "jobRows" ? rows : columns}\n`;
  };
  const onCards = [...(Object.keys(words) as Requested[]), "weights", "together"] as const;

  it.each(onCards)("a card with %s is a job, or refused with the reason", (request) => {
    const submit = () => cardOf(card(request), "job.yaml", { federation: "f", analyst: "a", nonce: "0".repeat(32) });
    const why = whyNot(request, place);
    if (why === undefined) expect(submit).not.toThrow();
    else expect(submit).toThrow(why);
  });
});

it("the docs say where each request works, and why not elsewhere", () => {
  const page = readFileSync(new URL("../../docs/reference/where-it-works.md", import.meta.url), "utf8");
  const names = Object.keys(places) as Whereabouts[];
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const nameOf = (request: Requested) => (request === "gap" ? reach.gap.asked : `\`${asFlags(reach[request].asked)}\``);
  const requests = Object.keys(reach) as Requested[];
  const table = [
    row(["", "one machine", ...names.map((place) => places[place].title)]),
    row(["---", "---", ...names.map(() => "---")]),
    ...requests.map((request) =>
      row([nameOf(request), "yes", ...names.map((place) => (whyNot(request, place) === undefined ? "yes" : "no"))]),
    ),
  ];
  const reasons = requests.flatMap((request) => {
    const given = new Map<string, string[]>();
    for (const place of names) {
      const why = whyNot(request, place);
      if (why !== undefined) given.set(why, [...(given.get(why) ?? []), places[place].title]);
    }
    if (given.size === 0) return [];
    const told = Array.from(given, ([why, where]) => `${why} (${where.join("; ")})`);
    return [`- ${nameOf(request)}: ${told.join("; ")}.`];
  });
  expect(page).toContain(table.join("\n"));
  expect(page).toContain(reasons.join("\n"));
});

it("help says where an option does not work", async () => {
  const { stdout } = await work.run("cluster", "--help");
  const text = stdout.replace(/\s+/g, " ");
  for (const request of ["together", "apart", "cost", "manhattan"] as const) expect(text).toContain(reachHelp(request));
});
