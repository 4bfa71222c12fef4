import { describe, expect, it } from "vitest";
import { cardOf } from "../../federation/consent/card.js";
import { parsePolicy } from "../../federation/consent/policy.js";
import { inGerman } from "./said-de.js";

/** Words that these sentences have in English and not in German. */
const english = /\b(the|is|are|of|and|or|to|people|not|with|from|which|rows?|columns?|each|use|leave|give|name|line)\b/;

function expectGerman(sentence: string): void {
  const german = inGerman(sentence);
  expect([sentence, german]).toEqual([sentence, expect.any(String)]);
  // What stands in the file is as it is there: after a colon, in quotes and in brackets.
  const own = german?.replace(/'[^']*'|`[^`]*`|\{.*\}|\w+: (?:rows|means|manhattan)\b/g, "");
  expect(own).not.toMatch(english);
  expect(german?.match(/\d+/g)?.sort()).toEqual(sentence.match(/\d+/g)?.sort());
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it was not refused");
}

const parties = "parties: { a: { features: [age], protect: [sex] }, b: { features: [income] } }";
const base = `k: 3\nid: person\n${parties}`;

describe("what is wrong is said in plain words, and in German", () => {
  it.each([
    ["k: four", "the job cannot be used at k, line 1: give a number"],
    ["k: 2.5", "the job cannot be used at k, line 1: give a whole number"],
    ["k: 0", "the job cannot be used at k, line 1: give a number of 1 or more"],
    ["k: 3", "the job cannot be used at parties: it is missing: give names with values"],
    [`${base}\ndelta: 2`, "the job cannot be used at delta, line 4: give a number below 1"],
    [`${base}\nscale: odd`, "the job cannot be used at scale, line 4: give standard, minmax or none"],
    [`${base}\nbalance: x`, "the job cannot be used at balance, line 4: give a number or hard"],
    [`${base}\nwrong: 1`, "the job cannot be used, line 4: unknown 'wrong'"],
  ])("%s", (text, says) => {
    const given = { federation: "local", analyst: "alice", nonce: "0".repeat(32) };
    expect(
      refusalOf(() =>
        cardOf(text.includes("parties") || text === "k: 3" ? text : `${text}\n${parties}`, "the job", given),
      ),
    ).toBe(says);
    expectGerman(says);
  });

  it.each([
    ...["", "[1]", "k: [", "k: 70000", "seed: 1.5", "algorithm: nope", "protection: none", "labels: [everybody]"],
    ...["algorithm: dp-fair\nepsilon: 1", "algorithm: dp-fair\nepsilon: 1\nprivate: all"],
    ...["algorithm: dp-fair\nepsilon: 1\nlambda: 1", "algorithm: dp-fair\nepsilon: 1\ncolluders: 1"],
    ...["epsilon: 1", "algorithm: dp-fair", "split: rows", "bounds: { sex: { F: { min: 2 } } }", "purpose: 7"],
    ...["quorum: 9", "algorithm: lloyd\nbalance: hard", "weights: x", "k: 4", "train: { label: x }", "effort: huge"],
    ...["apart: class", "rule: gbco", "rule: gbco\nsplit: rows", "notion: social", "notion: individual", "init: x"],
    ...["notion: representation\nrepresent: 0.3", "represent: 0.3", "minSize: meaningful", "categoryWeight: 2"],
    ...["seats: [{ age: 1 }, { age: 2 }]", "capacity: [{ min: 1 }, {}]", "capacity: [{}, {}, {}]\nminSize: 2"],
    ...["solver: admm\ndistance: manhattan", "solver: admm\nbalance: hard", "algorithm: cdkm\ndistance: manhattan"],
    ...["siteShares: true", "notion: representation\nsplit: rows", "distance: manhattan\nsplit: rows"],
  ])("of a job with %j", (text) => {
    const given = { federation: "local", analyst: "alice", nonce: "0".repeat(32) };
    const whole = /^(|\[1\]|k: .*)$/.test(text) ? text : `${base}\n${text}`;
    expectGerman(refusalOf(() => cardOf(whole, "the job", given)));
  });

  it.each([
    ...["", "[1]", "a: [", "analysts: alice", "analysts: [3]", "approval: perhaps", "analysts: [a]\nanalysts: [b]"],
    ...["analysts: [a]\nminimum: { rows: -1 }", "analysts: [a]\nbudget: { epsilon: x }", "analysts: [a]\nlabels: [x]"],
  ])("of a policy with %j", (text) => {
    expectGerman(refusalOf(() => parsePolicy(text, "the policy")));
  });

  it.each([
    "private runs need moiety explore: a ledger that a reload forgets is no budget",
    "name the dataset whose budget is spent: the same name whenever it is these people",
    "nothing was spent: type 1 once more to spend it",
    "no protected column has groups that are known without the data: protect one of few values",
    "the people fall into 3 cells only, which cannot make k=5 clusters: use k=3 or less, or more `components`",
    "the label 'housing' has 41 classes, and at most 20 are allowed: merge some, or name the one to learn with `positive`, and the others are its no",
    "the label 'housing' has 7 missing values; a label cannot be filled in: use `missing: drop`",
    "of group 'X' fewer than 5 people of a label are left to choose a threshold on: merge groups, or lower minCount",
    "of 6 people a share of 0.2 leaves none to test on: give another share with `test`, or others with `testFile`",
    "the model has no bounds for 2 groups of 'sex' among the newcomers: it knows F, M; train again, or leave those people out",
    "the model has no counts of the people in its clusters, since some are of fewer than 5: place the newcomers by themselves",
    "moiety explore does not answer: is it still running in its terminal?",
    "the process that serves this page does not answer",
    "the policy was changed meanwhile, here or elsewhere: look at it as it is now first",
    "job 12ab is done already",
    "cancelled by alice",
  ])("%s", expectGerman);
});
