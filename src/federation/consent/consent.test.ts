import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, hashOf } from "../canonical.js";
import { Consents } from "../party/consents.js";
import { MemoryStore } from "../store/memory.js";
import { provisioned, workplace } from "../testing/sites.js";
import { type Card, cardHash, cardOf, checkCard, jobId } from "./card.js";
import { objections, parsePolicy, policyTemplate } from "./policy.js";
import { settingsOf } from "./settings.js";
import { signHash } from "./signature.js";

const folder = workplace();
const request = `k: 4
minSize: 20
parties:
  a: { features: [age], protect: [sex] }
  b: { features: [balance] }
`;
const submission = { federation: "federation", analyst: "alice", nonce: "ab".repeat(16) };
const card = cardOf(request, "job.yaml", submission);
const policyText = `approval: automatic
analysts: [alice]
algorithms: [f3km]
features: [age]
protect: [sex]
minimum: { rows: 50, parties: 2, clusterSize: 10 }
budget: { jobs: 1, passes: 100 }
`;
const policy = parsePolicy(policyText, "policy.yaml");
const facts = { party: "a", rows: 1000, jobs: 0 };

describe("canonical text", () => {
  it("does not depend on the order of keys, and tells values apart", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: 0.5 })).toBe('{"a":0.5,"b":[1,{"c":"x","d":null}]}');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shuffled = JSON.parse(JSON.stringify(value), (_, each) =>
          each && typeof each === "object" && !Array.isArray(each)
            ? Object.fromEntries(Object.entries(each).reverse())
            : each,
        );
        expect(hashOf(shuffled)).toBe(hashOf(JSON.parse(JSON.stringify(value))));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("a policy", () => {
  it("allows what it names", () => expect(objections(card, policy, facts)).toEqual([]));

  const changes: readonly (readonly [string, Partial<Card>, RegExp])[] = [
    ["another analyst", { analyst: "mallory" }, /analyst 'mallory'/],
    ["another algorithm", { algorithm: "lloyd" }, /algorithm lloyd is not allowed/],
    ["a smaller cluster", { minSize: 9 }, /clusters of 9, and the policy asks for at least 10/],
    ["no smallest cluster", { minSize: undefined }, /clusters of 1/],
    ["labels for analysts", { labels: ["parties", "analyst"] }, /labels may not go to role analyst/],
    ["more passes", { starts: 3, maxIterations: 50 }, /up to 150 passes/],
  ];
  it.each(changes)("refuses %s", (_, change, reason) => {
    expect(objections({ ...card, ...change }, policy, facts).join()).toMatch(reason);
  });

  it("refuses columns, few people and a spent budget", () => {
    const [own, other] = card.parties;
    const greedy = { ...card, parties: [{ ...own, features: ["age", "income"], protect: ["sex*region"] }, other] };
    expect(objections(greedy, policy, facts)).toEqual([
      "column 'income' may not be a feature",
      "column 'sex*region' may not be protected",
    ]);
    expect(objections(card, policy, { ...facts, rows: 49 }).join()).toMatch(/fewer people than the 50/);
    expect(objections(card, policy, { ...facts, jobs: 1 }).join()).toMatch(/budget of 1 jobs is used up/);
    expect(objections(card, policy, { ...facts, party: "c" })).toEqual(["c is not on the card"]);
  });

  it("names the columns that may name people, and who else may get them", () => {
    const named = { ...card, id: "ssn" };
    expect(objections(named, policy, facts)).toEqual([
      "column 'ssn' may not name people: add 'ids: [ssn]' to the policy",
    ]);
    const open = { ...policy, ids: ["person", "ssn"], labels: ["parties", "analyst"] as const };
    expect(objections(named, { ...open, labels: [...open.labels] }, facts)).toEqual([]);
    const told = { ...named, labels: ["analyst" as const] };
    expect(objections(told, { ...open, labels: [...open.labels] }, facts)).toEqual([
      "people's 'ssn' may not go to the analyst: add 'idsTo: [analyst]' to the policy, or leave out labels: [analyst]",
    ]);
    expect(objections(told, { ...open, labels: [...open.labels], idsTo: ["analyst"] }, facts)).toEqual([]);
    // The line that it asks for keeps what was allowed before.
    expect(objections({ ...named, id: "card" }, { ...open, labels: [...open.labels] }, facts).join()).toMatch(
      /'ids: \[person, ssn, card\]'/,
    );
  });

  it("from the template allows nothing yet", () => {
    const template = parsePolicy(policyTemplate(["alice"]), "policy.yaml");
    expect(template.approval).toBe("manual");
    expect(objections(card, template, facts).length).toBeGreaterThan(0);
  });

  it("that is wrong is named by its place, without its values", () => {
    expect(() => parsePolicy(`${policyText}colour: secret-value\n`, "policy.yaml")).toThrow(/unknown 'colour'/);
    expect(() => parsePolicy("approval: [", "policy.yaml")).toThrow(/policy.yaml is not YAML/);
    expect(() => parsePolicy(policyText.replace("50", "many"), "policy.yaml")).toThrow(/at minimum.rows/);
  });
});

describe("names that every object answers to", () => {
  const submit = (text: string) => cardOf(text, "job.yaml", submission);
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("'%s' names nothing on a card", (name) => {
    expect(() => submit(request.replace("  b:", `  ${name}:`))).toThrow(/cannot be used/);
    expect(() => submit(request.replace("[sex]", `[${name}]`))).toThrow(/cannot be a name on a card/);
    const rows = `k: 2\nsplit: rows\ngroups: { sex: [F, ${name}] }\nparties:\n${["a", "b", "c"]
      .map((party) => `  ${party}: { features: [age], protect: [sex] }\n`)
      .join("")}`;
    expect(() => submit(rows)).toThrow(/cannot be a name on a card/);
    expect(() => submit(rows.replace("sex:", `${name}:`))).toThrow(/cannot be used: '.*' cannot be a name/);
    const forged = JSON.parse(JSON.stringify(card).replace('"a"', `"${name}"`));
    expect(() => checkCard(forged)).toThrow(/not a job card|cannot be a name/);
    const filed = JSON.parse(JSON.stringify({ ...card, bounds: { x: {} } }).replace('"x"', `"${name}"`));
    expect(() => checkCard(filed)).toThrow(/cannot be a name on a card/);
    expect(() => parsePolicy(`${policyText}${name}: 1\n`, "policy.yaml")).toThrow(/cannot be a name/);
  });
});

describe("sites on a card", () => {
  const asks = (sites: number, split: string) => {
    const parties = Array.from({ length: sites }, (_, at) => `  s${at}: { features: [age], protect: [sex] }\n`);
    const groups = split === "rows" ? "groups: { sex: [F, M] }\n" : "";
    return cardOf(`k: 4\nsplit: ${split}\n${groups}parties:\n${parties.join("")}`, "job.yaml", submission);
  };

  it("are as many as a job can have, and the limit is named where they are more", () => {
    expect(asks(500, "rows").parties).toHaveLength(500);
    expect(() => asks(501, "rows")).toThrow(/501 parties: with rows split a job has at most 500/);
    expect(() => asks(32, "columns")).toThrow(
      /32 parties: with columns split a job has at most 31, and with rows split 500/,
    );
  });
});

describe("an alignment alone", () => {
  it("has no terms of clusters, trainings or noise", () => {
    const align = cardOf("algorithm: align\nid: person\nparties: { a: {}, b: {} }\n", "job.yaml", submission);
    expect(checkCard(align)).toEqual(align);
    expect(() => checkCard({ ...align, epsilon: 1 })).toThrow(/epsilon is for/);
    expect(() => checkCard({ ...align, k: 2 })).toThrow(/makes no clusters/);
    const train = { label: "hired", classes: ["no", "yes"] };
    expect(() => checkCard({ ...align, train })).toThrow(/train is for/);
    expect(() => checkCard({ ...align, parties: card.parties })).toThrow(/looks at ids only/);
  });
});

describe("sizes on a card", () => {
  it("are numbers: a meaningful one would tell how rare a group is", () => {
    const asks = () => cardOf(request.replace("20", "meaningful"), "job.yaml", submission);
    expect(asks).toThrow(/^job\.yaml: minSize: meaningful is not for a federation, since .*: give a number$/);
  });

  it("with people apart are refused", () => {
    const asks = () => cardOf(`apart: home\n${request}`, "job.yaml", submission);
    expect(asks).toThrow(/^job\.yaml: apart is not for a federation, since .*: leave it out$/);
  });

  it("alone ask for no more evenness than they say", () => {
    const parties = "parties:\n  a: { features: [x] }\n  b: { features: [y] }\n";
    const etaOf = (more: string) =>
      settingsOf(cardOf(`k: 3\nalgorithm: teb\n${more}${parties}`, "job.yaml", submission), 90).eta;
    expect([etaOf(""), etaOf("minSize: 20\n"), etaOf("maxSize: 40\n"), etaOf("minSize: 20\nbalance: 0.7\n")]).toEqual([
      0.8,
      undefined,
      undefined,
      0.7,
    ]);
  });
});

describe("capacity and seats on a card", () => {
  const submit = (more: string, of = request) =>
    cardOf(`${more}\n${of.replace("minSize: 20\n", "")}`, "job.yaml", submission);
  const each = "capacity: [{ min: 10 }, { min: 12, max: 40 }, { min: 10 }, { min: 10, max: 90 }]";
  const place = "{ age: 30, balance: 1000 }";
  const four = `seats: [${Array(4).fill(place).join(", ")}]`;
  const two = `seats: [${place}, { age: 60, balance: 0 }]`;
  const pair = request.replace("k: 4", "k: 2");

  it("are checked in one line each", () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ["capacity: [{ min: 10 }]", /^job\.yaml: capacity has 1 sizes: give one for each of k=4 clusters$/],
      [`${each}\nmaxSize: 50`, /capacity says the sizes of all clusters: leave out minSize, maxSize/],
      ["capacity: [{}, { min: 5, max: 3 }, {}, {}]", /cluster 1 of capacity has a min of 5 and a max of 3: give/],
      ["capacity: [{ min: 1.5 }, {}, {}, {}]", /cannot be used at capacity\.0\.min, line 1: /],
      ["capacity: [{ least: 1 }, {}, {}, {}]", /unknown 'least'/],
      [`algorithm: lloyd\n${each}`, /lloyd keeps no sizes: use f3km or teb/],
      [`seats: [${place}]`, /seats has 1 places, and k is 4: give one for each cluster/],
      [four.replace(", balance: 1000", ""), /place 0 of seats has no 'balance': give a value for every column/],
      [four.replace("1000", "1000, sex: 1"), /place 0 of seats has a 'sex', which is no column of the job/],
      [four.replace("30", "young"), /place 0 of seats has no number for the feature 'age'/],
      [`${four}\nprotection: masked\neffort: quick`, /nothing is looked for where places are given/],
      [`${four}\nprotection: masked\nsolver: admm`, /centres that stay are for prices/],
      [`algorithm: cdkm\n${four}`, /cdkm has no given places: use f3km, teb or lloyd, or leave out seats/],
      [four, /knows 4 places in 2 columns: give at most 3 places, or say protection: masked/],
    ];
    for (const [more, reason] of wrong) expect(() => submit(more), more).toThrow(reason);
    const rows = `split: rows\ngroups: { sex: [F, M] }\nk: 2\nparties:\n${["a", "b", "c"]
      .map((name) => `  ${name}: { features: [age, balance], protect: [sex] }\n`)
      .join("")}`;
    expect(() => submit(two, rows)).toThrow(
      /sums of people at every place are told, and minCount is 5: use minSize: 5/,
    );
    expect(() => submit(`${two}\nminSize: 5\nreference: true`, rows)).toThrow(/not looked for with rows split/);
    expect(submit(`${two}\nminSize: 5`, rows).minSize).toBe(5);
  });

  it("say how small a cluster may be, as policies want to know", () => {
    expect(objections(submit(each), policy, facts)).toEqual([]);
    expect(objections(submit(each.replace("10", "9")), policy, facts).join()).toMatch(
      /clusters of 9, and the policy asks for at least 10: use f3km or teb with capacity: \[\{ min: 10 \}, …\]/,
    );
    expect(objections(submit(each.replace("{ min: 10 }", "{}")), policy, facts).join()).toMatch(/clusters of 1, and/);
  });

  it("at given places need the policy's word for every column of the site", () => {
    const placed = submit(`${two}\nminSize: 20`, pair);
    expect(objections(placed, policy, facts)).toEqual([
      "clusters may not be at given places in column 'age': add 'seats: [age]' to the policy",
    ]);
    expect(objections(placed, { ...policy, seats: ["age"] }, facts)).toEqual([]);
    // A place may stay empty or have one person, unless the card says more.
    expect(objections(submit(two, pair), { ...policy, seats: ["age"] }, facts).join()).toMatch(/clusters of 1, and/);
  });
});

describe("representation on a card", () => {
  const rows = (more: string) =>
    `split: rows\nk: 4\nminSize: 20\ngroups: { sex: [F, M] }\n${more}\nparties:\n${["a", "b", "c"]
      .map((name) => `  ${name}: { features: [age, balance], protect: [sex] }\n`)
      .join("")}`;
  const submit = (text: string) => cardOf(text, "job.yaml", submission);
  const asked = "notion: representation\nrepresent: 0.3";

  it("is exact unless it says a tolerance, and of rows alone", () => {
    expect(submit(rows(asked))).toMatchObject({ tolerance: 0, represent: 0.3 });
    expect(submit(rows(`${asked}\ntolerance: 2`)).tolerance).toBe(2);
    expect(submit(rows("")).tolerance).toBe(1);
    expect(() => submit(`${asked}\n${request}`)).toThrow(
      /not for columns split over sites, since which clusters hold a group/,
    );
  });

  it("is checked in one line each", () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ["represent: 0.3", /represent and inClusters are for notion: representation/],
      ["notion: representation", /represent is missing: give the share/],
      [`${asked}\ninClusters: 5`, /represented in 5 clusters, and k=4: use 4 or fewer/],
      [`${asked}\nbounds: { sex: { F: { min: 0.1 } } }`, /bounds are of shares in every cluster/],
      [`${asked}\nstarts: 2`, /groups are matched with the clusters of one start/],
      [`${asked}\nalgorithm: fkm-plus`, /fkm-plus does not keep notion: representation: use f3km/],
      ["notion: representation\nrepresent: 1.5", /cannot be used at represent/],
      ["notion: individual", /notion: individual is not for a federation, since/],
    ];
    for (const [more, reason] of wrong) {
      const text = rows(more);
      expect(() => submit(more.includes("fkm-plus") ? text.replace("minSize: 20\n", "") : text), more).toThrow(reason);
    }
  });
});

describe("a party's consent", () => {
  it("is signed once, counted, and given to nothing else", async () => {
    const kits = await provisioned(join(folder, "kits"), ["a", "b"]);
    const [a, b, alice] = await Promise.all([kits("a"), kits("b"), kits("alice")]);
    const rows = async () => 1000;
    const submitted = signHash(alice.signingKey, "submit", cardHash(card));
    const store = new MemoryStore();
    const site = new Consents(a, store, async () => policy);
    await expect(
      new Consents(a, new MemoryStore(), async () => undefined).consider(card, submitted, rows),
    ).rejects.toThrow(/has no policy/);
    const verdict = await site.consider(card, submitted, rows);
    expect(verdict).toEqual({ signature: signHash(a.signingKey, "consent", cardHash(card)) });
    expect(await site.consider(card, submitted, rows)).toEqual(verdict);
    const second = cardOf(request, "job.yaml", { ...submission, nonce: "cd".repeat(16) });
    const again = signHash(alice.signingKey, "submit", cardHash(second));
    await expect(site.consider(second, again, rows)).rejects.toThrow(/budget of 1 jobs/);
    // A signature of another card, of another member, or for another purpose.
    await expect(site.consider(second, submitted, rows)).rejects.toThrow(/does not belong to this card/);
    const forged = signHash(b.signingKey, "submit", cardHash(second));
    await expect(site.consider(second, forged, rows)).rejects.toThrow(/does not belong/);
    const consents = { a: (verdict as { signature: string }).signature };
    await expect(site.agreed(cardHash(card), consents)).rejects.toThrow(/signature of party 'b'/);
    const both = { ...consents, b: signHash(b.signingKey, "consent", cardHash(card)) };
    expect((await site.agreed(cardHash(card), both)).card).toEqual(card);
    await expect(site.agreed(cardHash(second), both)).rejects.toThrow(/has not agreed/);
    await expect(site.consider({ ...card, k: "4" }, submitted, rows)).rejects.toThrow(/not a job card/);
  });

  it("waits for a person where the policy says so", async () => {
    const kits = await provisioned(join(folder, "kits-manual"), ["a", "b"]);
    const [a, alice] = await Promise.all([kits("a"), kits("alice")]);
    const site = new Consents(a, new MemoryStore(), async () => ({ ...policy, approval: "manual" }));
    const hash = cardHash(card);
    const submitted = signHash(alice.signingKey, "submit", hash);
    const consider = () => site.consider(card, submitted, async () => 1000);
    expect(await consider()).toEqual({ waiting: true });
    expect(await consider()).toEqual({ waiting: true });
    await expect(site.decide("ffff", true)).rejects.toThrow(`waiting are ${jobId(hash)}`);
    await site.decide(jobId(hash), true);
    expect(await consider()).toHaveProperty("signature");
    const refusing = new Consents(a, new MemoryStore(), async () => ({ ...policy, approval: "manual" }));
    const ask = () => refusing.consider(card, submitted, async () => 1000);
    await ask();
    await refusing.decide(jobId(hash), false);
    await expect(ask()).rejects.toThrow(/an operator at the site refused/);
  });

  it("writes down who decided, where people log in, and tells no other member", async () => {
    const kits = await provisioned(join(folder, "kits-people"), ["a", "b"]);
    const [a, alice] = await Promise.all([kits("a"), kits("alice")]);
    const hash = cardHash(card);
    const submitted = signHash(alice.signingKey, "submit", hash);
    const decided = async (yes: boolean) => {
      const notes: [string, object][] = [];
      const manual = async () => ({ ...policy, approval: "manual" }) as const;
      const note = async (kind: string, details: object) => void notes.push([kind, details]);
      const site = new Consents(a, new MemoryStore(), manual, note);
      const consider = () => site.consider(card, submitted, async () => 1000);
      await consider();
      await site.decide(jobId(hash), yes, { by: "anna@bank.example", ...(yes ? {} : { reason: "no contract" }) });
      const said = await consider().catch((error: Error) => error.message);
      expect(JSON.stringify(said)).not.toContain("anna");
      expect((await site.find(hash))?.by).toBe("anna@bank.example");
      return notes;
    };
    for (const approved of [true, false]) {
      const notes = await decided(approved);
      expect(notes).toContainEqual(["decided", { job: hash, approved, by: "anna@bank.example" }]);
    }
  });

  it("keeps on the card who of the analyst's people submitted it, which no job's text can say", () => {
    const submission = { federation: "local", analyst: "alice", nonce: "0".repeat(32) };
    const text = "k: 2\nparties: { a: { features: [x] }, b: { features: [y] } }";
    const signed = cardOf(text, "job", { ...submission, person: "anna@uni.example" });
    expect(checkCard(JSON.parse(JSON.stringify(signed))).person).toBe("anna@uni.example");
    expect(cardOf(text, "job", submission)).not.toHaveProperty("person");
    expect(() => cardOf(`${text}\nperson: bob`, "job", submission)).toThrow(/unknown 'person'/);
    expect(() => checkCard({ ...signed, person: "anna\nbob" })).toThrow(/not a job card/);
  });
});
