import { describe, expect, it } from "vitest";
import { type Card, cardOf } from "./card.js";
import { parsePolicy, verdictOf } from "./policy.js";
import { addsNoise, privatePlanOf, releaseOf, solvedCard } from "./private-card.js";

const submission = { federation: "f", analyst: "a", nonce: "0".repeat(32) };
const twoSites = "  bank: { features: [age], protect: [sex] }\n  hospital: { features: [visits] }";
const card = (more = "", parties = twoSites, groups = "groups: { sex: [F, M] }"): Card =>
  cardOf(`algorithm: dp-fair\nk: 3\nepsilon: 1\n${groups}\n${more}\nparties:\n${parties}\n`, "job.yaml", submission);

describe("a card of private clusters over columns", () => {
  it.each([
    ["deltaDp: 0.001", /deltaDp belongs to private: all/],
    ["lambda: 10", /lambda belongs to the paper's form .* leave it out/],
    ["box: { age: [0, 100] }", /every site scales its own.*leave out box, or add private: all/],
    ["colluders: 1", /adds all the noise, .* leave out colluders/],
    ["bounds: { sex: { F: { min: 0.1 } } }", /true shares are not told .* leave out bounds/],
    ["solver: admm", /admm makes no cells/],
    ["components: 2", /2 components cannot make k=3 clusters/],
    ["balance: 0.8", /dp-fair keeps no sizes/],
    ["minCount: 5", /are for split: rows/],
    ["reference: true", /this job makes none: leave it out/],
  ])("says in one line why not: %s", (more, why) => {
    expect(() => card(more)).toThrow(why);
  });

  it.each([
    ["nobody protects anything", twoSites.replace(", protect: [sex]", ""), "", /needs protected attributes/],
    ["groups are not named", twoSites, "", /name the groups of 'sex'/],
    [
      "two sites count the same",
      twoSites.replace("[visits]", "[visits], protect: [sex]"),
      "groups: { sex: [F, M] }",
      /'sex' is protected at two parties/,
    ],
    [
      "what is protected is known",
      "  bank: { features: [income], protect: ['age:40'] }\n  hospital: { features: [age] }",
      "",
      /'age:40' is protected and a feature, and features are taken as known/,
    ],
    [
      "values would decide the groups",
      twoSites.replace("[sex]", "['income:quartiles']"),
      "groups: { 'income:quartiles': [a, b] }",
      /needs groups that its values decide/,
    ],
  ])("is refused where %s", (_, parties, groups, why) => {
    expect(() => card("", parties, groups)).toThrow(why);
  });

  it("asks the solver for cells by features alone, of 5 people at least or as many as the card says", async () => {
    const { algorithm, k, minSize, parties, epsilon, groups } = await solvedCard(card(), 1000);
    expect({ algorithm, k, minSize, epsilon, groups }).toEqual({ algorithm: "f3km", k: 22, minSize: 5 });
    expect(parties.flatMap(({ protect }) => protect)).toEqual([]);
    // A mean cell has twice the people of the smallest, unless the card asks for more cells.
    expect((await solvedCard(card("minSize: 50"), 1000)).k).toBe(10);
    expect((await solvedCard(card("minSize: 50\ncomponents: 20"), 1000)).k).toBe(20);
  });

  it("counts groups of cuts, which nobody needs to name", async () => {
    const cut = card("", twoSites.replace("[sex]", "['born:1980']"), "");
    expect(cut.groups).toEqual({ "born:1980": ["<1980", "1980+"] });
    // Two groups are one count.
    const mechanisms = (await privatePlanOf(cut, 1000)).costs.parts.map(({ mechanism }) => mechanism);
    expect(mechanisms).toEqual(["discrete Laplace, scale 1"]);
  });

  it("needs a budget of whoever holds groups, and leave for cells and their size of everybody", () => {
    const policy = (more: string) =>
      parsePolicy(
        `analysts: [a]\nalgorithms: [dp-fair]\nfeatures: [age, visits]\nprotect: [sex]\nminimum: { clusterSize: 5 }\n${more}`,
        "policy",
      );
    const broken = (party: string, more: string) =>
      verdictOf(card(), policy(more), { party, rows: 1000, jobs: 0 }).filter(({ holds }) => !holds);
    expect(addsNoise(card(), "bank")).toBe(true);
    expect(addsNoise(card(), "hospital")).toBe(false);
    expect(broken("hospital", "cells: true")).toEqual([]);
    expect(broken("bank", "cells: true\nbudget: { epsilon: 2 }")).toEqual([]);
    expect(broken("bank", "cells: true").map(({ rule }) => rule)).toEqual(["budget.epsilon"]);
    expect(broken("hospital", "").map(({ rule }) => rule)).toEqual(["cells"]);
    const large = parsePolicy(
      "analysts: [a]\nalgorithms: [dp-fair]\nfeatures: [visits]\ncells: true\nminimum: { clusterSize: 20 }",
      "policy",
    );
    const sized = verdictOf(card(), large, { party: "hospital", rows: 1000, jobs: 0 }).filter(({ holds }) => !holds);
    expect(sized.map(({ says }) => says)).toEqual([
      "clusters of 5, and the policy asks for at least 20: use minSize: 20",
    ]);
  });
});

const everything = "private: all\nbox: { age: [0, 100], visits: [0, 20] }";

describe("a card of private clusters over columns where everything is private", () => {
  it("is a job of as many rounds as its cells ask for, each site paying for the whole", async () => {
    const whole = card(`${everything}\ncomponents: 8`);
    expect(whole.minSize).toBeUndefined();
    const { k, algorithm, parties } = await solvedCard(whole, 1000);
    expect({ k, algorithm }).toEqual({ k: 8, algorithm: "dp-fair" });
    expect(parties.flatMap(({ protect }) => protect)).toEqual([]);
    const { costs, terms } = await privatePlanOf(whole, 1000);
    expect(costs).toMatchObject({ mode: "all", modelAlone: true, delta: 1e-5 });
    // The same however many people there are.
    expect(await privatePlanOf(whole, 17).then((plan) => plan.costs)).toEqual(costs);
    expect([0, 7, 8].map((round) => terms.noiseAt(round) === undefined)).toEqual([false, false, true]);
    for (const party of ["bank", "hospital"]) expect(addsNoise(whole, party)).toBe(true);
    const release = releaseOf(whole, "hash", await privatePlanOf(whole, 1000));
    expect(release).toMatchObject({ neighbours: "person" });
  });

  it.each([
    ["private: all", /name what is publicly known of 'age', such as box/],
    ["private: all\nbox: { age: [0, 100] }", /name what is publicly known of 'visits'/],
    [
      "private: all\nbox: { age: [0, 100], visits: [0, 20], sick: [0, 9] }",
      /the box names 'sick', which is not a feature/,
    ],
    [`${everything}\ncolluders: 1`, /nothing is promised against the sites and the coordinator.* leave out colluders/],
    [`${everything}\nminSize: 10`, /no size can be promised: leave out minSize/],
    [`${everything}\nmissing: mean`, /no mean can stand in for what is missing/],
    [`${everything}\nstarts: 3`, /the rounds are fixed: leave out starts/],
    [`${everything}\neffort: best`, /the rounds are fixed: leave out starts/],
    [`${everything}\nid: person\nlabels: [analyst]`, /not covered by the noise .* leave labels to the parties/],
    [`${everything}\nlambda: 10`, /lambda belongs to the paper's form/],
    [`${everything}\ncomponents: 2`, /2 components cannot make k=3 clusters/],
    [`${everything}\nbounds: { sex: { F: { min: 0.1 } } }`, /true shares are not told/],
    [`${everything}\ncategoryWeight: 2`, /categoryWeight does nothing/],
  ])("says in one line why not: %s", (more, why) => {
    expect(() => card(more)).toThrow(why);
  });

  it("is refused where two sites hold a column of one name", () => {
    const twice = "  bank: { features: [age], protect: [sex] }\n  hospital: { features: [age] }";
    expect(() => card("private: all\nbox: { age: [0, 100] }", twice)).toThrow(/'age' is a feature at two parties/);
  });

  it("needs a budget and leave for cells of every site, and that no size be promised", () => {
    const broken = (party: string, more: string, size = 1) => {
      const policy = `analysts: [a]\nalgorithms: [dp-fair]\nfeatures: [age, visits]\nprotect: [sex]\nminimum: { clusterSize: ${size} }\n${more}`;
      const facts = { party, rows: 1000, jobs: 0 };
      return verdictOf(card(everything), parsePolicy(policy, "policy"), facts).filter(({ holds }) => !holds);
    };
    for (const party of ["bank", "hospital"]) {
      expect(broken(party, "cells: true\nbudget: { epsilon: 2 }")).toEqual([]);
      expect(broken(party, "cells: true").map(({ rule }) => rule)).toEqual(["budget.epsilon"]);
      expect(broken(party, "budget: { epsilon: 2 }").map(({ says }) => says)).toEqual([
        "sites may not learn everybody's cell in every round, and noisy means of all columns: add 'cells: true' to the policy",
      ]);
      expect(broken(party, "cells: true\nbudget: { epsilon: 2 }", 5).map(({ says }) => says)).toEqual([
        "clusters of 1, and the policy asks for at least 5: where everything is private sizes are noisy, and none can be promised; it would take minimum: { clusterSize: 1 }",
      ]);
    }
  });
});
