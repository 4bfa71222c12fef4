import { createHash } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const request = ["cluster", "people.csv", "--k", "4", "--protect", "sex,ethnicity", "--id", "person"];
const digest = (name: string) => createHash("sha256").update(work.read(name)).digest("hex");
const section = (card: string, title: string) =>
  new RegExp(`\n## ${title}\n\n([^]*?)(?=\n## |$)`).exec(card)?.[1] ?? "";

beforeAll(async () => {
  await work.run("generate", "people", "--n", "1500", "--seed", "5", "-o", "people.csv");
});

it("a card has the verdict, bounds, price and settings of its clustering, and the digests of both files", async () => {
  const { code, stdout } = await work.run(...request, "--model", "model.json", "--card", "card.md", "--json");
  expect(code).toBe(0);
  const card = work.read("card.md");
  const [, head] = card.split("---\n");
  expect(parse(head)).toEqual({ library_name: "moiety", tags: ["fair-clustering", "k-means", "f3km"] });
  expect(card).toContain(`| model, SHA-256 | ${digest("model.json")} |`);
  expect(card).toContain(`| source, SHA-256 | ${digest("people.csv")} |`);
  const { groups, sizes, bounds } = JSON.parse(stdout);
  const few = Object.entries<Record<string, number[]>>(groups).flatMap(([attribute, each]) =>
    Object.entries(each)
      .filter(([, shares]) => shares.some((share, m) => share * sizes[m] < 5))
      .map(([group]) => `| ${attribute}: ${group} |`),
  );
  const lines = section(card, "Groups").split("\n");
  expect(few.length).toBeGreaterThan(0);
  for (const start of few) {
    expect(lines.find((line) => line.startsWith(start))).toContain("fewer than 5 people in a cluster");
  }
  expect(lines.filter((line) => line.startsWith("| sex: ")).length).toBe(Object.keys(bounds.sex).length);
  expect(section(card, "What it cannot attest")).toContain("independent");
});

it("the card of a private clustering says nothing that the data say without noise", async () => {
  const args = ["--algorithm", "dp-fair", "--epsilon", "1", "--card", "private.md", "--json"];
  const state = { ...process.env, HOME: work.folder, XDG_STATE_HOME: work.folder };
  const { stdout, stderr } = await work.start(
    { env: state },
    "cluster",
    "people.csv",
    "--k",
    "3",
    "--protect",
    "sex",
    ...args,
  ).done;
  expect(stderr).not.toMatch(/^moiety: /m);
  const card = work.read("private.md");
  const { sse, n } = JSON.parse(stdout);
  for (const exact of [String(n), n.toLocaleString("en-US"), String(sse), digest("people.csv")])
    expect(card).not.toContain(exact);
  expect(section(card, "Privacy")).toContain("epsilon 1");
  expect(section(card, "Price")).toBe("");
});

it("a classifier's card has selection rates and impact ratios", async () => {
  const args = ["train", "people.csv", "--label", "housing", "--positive", "rent", "--protect", "sex", "--rounds", "3"];
  const { stdout } = await work.run(...args, "--model", "classifier.json", "--card", "classifier.md", "--json");
  const { perGroup } = JSON.parse(stdout);
  const card = section(work.read("classifier.md"), "Groups");
  const rates = Object.values<{ people: number; positiveRate: { value: number } }>(perGroup);
  const highest = Math.max(...rates.map(({ positiveRate }) => positiveRate.value));
  for (const [group, { people, positiveRate }] of Object.entries<(typeof rates)[number]>(perGroup)) {
    const line = card.split("\n").find((each) => each.startsWith(`| ${group} |`));
    if (people < 5) expect(line).toContain("fewer than 5");
    else expect(line).toContain(` | ${(positiveRate.value / highest).toFixed(2)} | `);
  }
});

it("a card that ends in .html is one page that needs nothing else", async () => {
  await work.run(...request, "--card", "card.html");
  const page = work.read("card.html");
  expect(page.toLowerCase()).toMatch(/^<!doctype html>/);
  expect(page).toContain("What it cannot attest");
  expect(page).not.toMatch(/(?:src|href)="(?!#|data:)/);
});

it("a card may not overwrite what is read, or another result", async () => {
  expect((await work.run(...request, "--card", "people.csv")).code).toBe(2);
  expect((await work.run(...request, "--model", "both", "--card", "both")).code).toBe(2);
});

it("the card of a private clustering attests no exact count, and nothing that nobody can repeat", async () => {
  const attested = section(work.read("private.md"), "What this card attests");
  expect(attested).toContain("operating system");
  expect(attested).not.toMatch(/exact counts|the same labels/);
});

it("a card by another notion has no bounds, and one without promises none to keep", async () => {
  const notion = ["--notion", "social", "--card", "social.md"];
  await work.run("cluster", "people.csv", "--k", "4", "--protect", "sex", "--id", "person", ...notion);
  expect(section(work.read("social.md"), "Groups")).not.toMatch(/\| asked for \||100\.0%/);
  expect(section(work.read("social.md"), "What this card attests")).toContain("social notion");
  await work.run("cluster", "people.csv", "--k", "4", "--id", "person", "--card", "plain.md");
  expect(section(work.read("plain.md"), "Model")).not.toContain("assign");
});

it("impact ratios are over the highest rate of the same attribute", async () => {
  const args = ["train", "people.csv", "--label", "housing", "--positive", "rent", "--rounds", "2"];
  await work.run(...args, "--protect", "sex,ethnicity", "--card", "two.md");
  const lines = section(work.read("two.md"), "Groups").split("\n");
  for (const attribute of ["sex", "ethnicity"]) {
    const ratios = lines.filter((line) => line.startsWith(`| ${attribute} `)).map((line) => line.split(" | ")[3]);
    expect(ratios).toContain("1.00");
  }
});

it("models that newcomers have joined or changed have cards too", async () => {
  await work.run("generate", "people", "--n", "600", "--seed", "6", "-o", "newcomers.csv");
  await work.run("cluster", "people.csv", "--k", "4", "--protect", "sex", "--id", "person", "--model", "first.json");
  const joined = ["assign", "newcomers.csv", "--model", "first.json", "--id", "person", "--card", "joined.md"];
  expect(await work.run(...joined)).toMatchObject({ code: 2, stderr: expect.stringContaining("--updated-model") });
  expect((await work.run(...joined, "--updated-model", "second.json")).code).toBe(0);
  await work.run(
    "update",
    "first.json",
    "newcomers.csv",
    "--id",
    "person",
    "--out",
    "third.json",
    "--card",
    "third.md",
  );
  for (const [card, model] of [
    ["joined.md", "second.json"],
    ["third.md", "third.json"],
  ]) {
    expect(work.read(card)).toContain(`| model, SHA-256 | ${digest(model)} |`);
    expect(work.read(card)).toContain(`| source, SHA-256 | ${digest("newcomers.csv")} |`);
    expect(work.read(card)).toContain(`| earlier model, SHA-256 | ${digest("first.json")} |`);
    expect(section(work.read(card), "Groups")).toContain("| sex: F |");
  }
});
