import { describe, expect, it } from "vitest";
import { cardOf } from "../federation/consent/card.js";
import { parsePolicy, verdictOf } from "../federation/consent/policy.js";
import { leavingOf } from "../federation/party/leaving.js";
import { inGerman } from "../report/words/said-de.js";

const card = (text: string) =>
  cardOf(
    `${text}\nparties: { a: { features: [age], protect: [sex], weights: w }, b: { features: [income], together: home } }`,
    "job",
    {
      ...{ federation: "local", analyst: "alice", nonce: "0".repeat(32) },
    },
  );
const cards = [
  card("algorithm: f3km\nk: 3\nid: person\ntolerance: 3"),
  card(
    "algorithm: f3km\nk: 3\nid: person\ntolerance: 3\nminSize: 20\nprotection: masked\nlabels: [analyst, parties]\nstarts: 30",
  ),
];
cards.push(card("k: 2\ntolerance: 3\nminSize: 20\nseats: [{ age: 30, income: 1 }, { age: 60, income: 2 }]"));
cards.push(
  ...["epsilon: 1", "epsilon: inf"].map((epsilon) => {
    const parties = "parties: { a: { features: [age], protect: [sex] }, b: { features: [income] } }";
    const job = `algorithm: dp-fair\nk: 2\n${epsilon}\ngroups: { sex: [F, M] }\n${parties}`;
    return cardOf(job, "job", { federation: "local", analyst: "alice", nonce: "0".repeat(32) });
  }),
);
const policies = [
  "analysts: [alice]\nalgorithms: [f3km]\nfeatures: [age, income]\nseats: [age, income]\ncells: true\nprotect: [sex]\nids: [person]\nidsTo: [analyst]\nweights: [w]\ntogether: [home]\nlabels: [parties, analyst]\nprotection: masked",
  "analysts: [bob]\nalgorithms: [lloyd]\ndistances: [manhattan]\nfeatures: []\nprotect: []\nlabels: []\nbudget: { jobs: 5, passes: 10 }\nminimum: { rows: 500, parties: 3, clusterSize: 50 }",
].map((text) => parsePolicy(text, "policy"));

/** Words of English that no German sentence has; names of columns and options are in quotes or behind a colon. */
const english = /\b(the|is|and|of|may|people|policy|site|not|parties|jobs|numbers)\b/;

describe("what policies and journals say", () => {
  it("is there in German", async () => {
    const facts = [
      { party: "a", rows: 1000, jobs: 0 },
      { party: "b", rows: 10, jobs: 5 },
      { party: "nobody", rows: 10, jobs: 0 },
    ];
    const lines = cards.flatMap((each) =>
      policies.flatMap((policy) => facts.flatMap((site) => verdictOf(each, policy, site).map(({ says }) => says))),
    );
    const leaving = (
      await Promise.all(cards.flatMap((each) => ["a", "b"].map((party) => leavingOf(each, party, 100))))
    ).flat();
    const all = new Set([...lines, ...leaving.flatMap(({ kind, shape }) => [kind, shape])]);
    // What is only known of during a run.
    for (const what of [
      "possible moves x 43",
      "proposed moves x 2",
      "spread of the columns",
      "where a centre could go",
      "people of each group in cells, with noise",
      "people of each group in cells, with noise, repeated",
      "zeros, where others count groups",
      "zeros, where others count groups, repeated",
      "counts of groups with noise, SSE, this journal",
    ])
      all.add(what);
    for (const cost of ["SSE", "sum of distances"]) all.add(`${cost} and status of the limits`);
    expect(all.size).toBeGreaterThan(40);
    for (const text of all) expect([text, inGerman(text)]).toEqual([text, expect.any(String)]);
    for (const text of all) expect(inGerman(text)?.replace(/'[^']*'/g, "")).not.toMatch(english);
  });

  it("is not guessed at where there is no German for it", () => {
    expect(inGerman("we have no contract")).toBeUndefined();
  });
});
