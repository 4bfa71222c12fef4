// Slow: a distinguisher needs thousands of runs.
import { randomFillSync } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type * as lanes from "../../kernels/lanes.js";
import { closeLanes, openLanes } from "../../kernels/lanes.js";
import { LocalGroup } from "../../parties/local-group.js";
import { MixtureSite } from "../../parties/mixture-site.js";
import type { Group } from "../../parties/questions.js";
import { Ledger, type LedgerRecord } from "../../privacy/accounting/ledger.js";
import { Chance, seededNoise } from "../../privacy/noise/chance.js";
import { alone } from "../../privacy/noise/noise-shares.js";
import { provenLoss } from "../../privacy/testing/distinguisher.js";
import { generateTable, type People, preparePeople } from "../../table/index.js";
import { paperBalance } from "../../testing/check.js";
import { Draws } from "../../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf } from "../../testing/people.js";
import { cluster } from "../cluster.js";
import { parseModel, predict, toModel } from "../model.js";
import { sweep } from "../sweep.js";
import type { ClusterOptions, PeopleClustering, Progress } from "../types.js";
import { planFair } from "./dp-fair.js";

// Small work stays on one thread; here it must go over all of them.
vi.mock("../../kernels/lanes.js", async (original) => {
  const real = await original<typeof lanes>();
  return { ...real, openLanes: (threads: number) => real.openLanes(threads) };
});

const operatingSystem = { secret: true, fill: (bytes: Uint8Array) => void randomFillSync(bytes) };
const moonTable = (n: number, seed: number) => generateTable("twomoon", { n, seed });
const moons = (n = 1000, seed = 1) => preparePeople(moonTable(n, seed), { protect: ["group"] });
const publicly = { box: { x: [-1.5, 2.5], y: [-1, 1.5] } as const, protect: ["group"] };
const boxedMoons = (n: number) => preparePeople(moonTable(n, 1), publicly);
const exact: ClusterOptions = { algorithm: "dp-fair", k: 3, epsilon: Number.POSITIVE_INFINITY, threads: 1 };
const inPaper: ClusterOptions = { ...exact, lambda: 10 };

function essence({ labels, centres, cells, result }: PeopleClustering) {
  const { communication: _, seconds: __, ...rest } = result;
  return { labels: [...labels], centres, cells, rest };
}

describe("dp-fair", () => {
  const people = moons();

  it("gives the same result on any number of threads and with the rows on any number of parties", async () => {
    for (const form of [exact, inPaper]) {
      const alone = essence(await cluster(people, form));
      for (const [threads, parties] of [
        [3, 1],
        [1, 2],
        [2, 5],
      ]) {
        expect(essence(await cluster(people, { ...form, threads, parties }))).toEqual(alone);
      }
    }
    const box = boxedMoons(1500);
    const everything = { ...exact, private: "all" } as const;
    expect(essence(await cluster(box, { ...everything, parties: 4 }))).toEqual(essence(await cluster(box, everything)));
  });

  it("does not care what groups are called, nor which comes first", async () => {
    const [{ codes }] = people.attributes;
    const named = { ...people, attributes: [{ name: "g", groups: ["z", "y"], codes: codes.map((code) => 1 - code) }] };
    const [one, other] = [await cluster(people, exact), await cluster(named, exact)];
    expect([...one.labels]).toEqual([...other.labels]);
  });

  it("gives people their labels back, and newcomers the cluster of their cell, without any group", async () => {
    for (const [table, options, asked] of [
      [moonTable(1000, 1), { protect: ["group"] }, { ...exact, epsilon: 1, noise: operatingSystem }],
      [moonTable(4000, 1), publicly, { ...exact, epsilon: 8, private: "all", noise: operatingSystem }],
    ] as const) {
      const who = preparePeople(table, options);
      const clustering = await cluster(who, asked);
      const model = parseModel(JSON.parse(JSON.stringify(toModel(who, clustering))));
      expect(model.clusters?.length).toBe(clustering.result.privacy?.cells);
      const columns = table.columns.filter(({ name }) => name !== "group");
      const { labels } = await predict(model, { ...table, columns });
      expect([...labels]).toEqual([...clustering.labels]);
    }
  });

  it("makes clusters tighter where less balance is enough, and tighter than the paper's form", async () => {
    const who = preparePeople(generateTable("twomoon", { n: 5000, seed: 2 }), { protect: ["group"] });
    const found = async (asked: ClusterOptions) => {
      const { result } = await cluster(who, { ...asked, epsilon: 1, noise: seededNoise(3) });
      return { sse: result.sse, balance: Math.min(...result.balance), privacy: result.privacy! };
    };
    const [much, enough, little] = await Promise.all(
      [0.9, 0.8, 0.3].map((balanceTarget) => found({ ...exact, balanceTarget })),
    );
    const paper = await found(inPaper);
    expect(much.sse).toBeGreaterThan(enough.sse);
    expect(enough.sse).toBeGreaterThan(little.sse);
    expect(paper.sse).toBeGreaterThan(1.1 * enough.sse);
    for (const [{ balance, privacy }, target] of [
      [much, 0.9],
      [enough, 0.8],
      [little, 0.3],
    ] as const) {
      expect(balance).toBeGreaterThan(target - 0.05);
      expect(privacy.balanceTarget).toBe(target);
      expect(privacy.noisyBalance).toBeGreaterThanOrEqual(target - 1e-9);
    }
    expect(paper.privacy).toMatchObject({ lambda: 10, balanceTarget: null, noisyBalance: null });
  });

  it("says when the balance is not to be had", async () => {
    const { result } = await cluster(people, { ...exact, k: 9, components: 9, epsilon: 1, noise: seededNoise(1) });
    expect(result.privacy!.noisyBalance).toBeLessThan(0.8);
    expect(result.warnings.join()).toMatch(/k=9: a balance of 0.8 .* was not reached/);
  });

  it("names the groups that are too rare for their margin", async () => {
    const rare = {
      name: "g",
      groups: ["many", "few"],
      codes: Uint16Array.from({ length: 1000 }, (_, i) => (i % 50 ? 0 : 1)),
    };
    const asked = { ...exact, epsilon: 1, noise: seededNoise(1) };
    const { result } = await cluster({ ...people, attributes: [rare] }, asked);
    expect(result.warnings.join()).toMatch(/k=3: the noise is too large for the margin of g few: /);
    expect((await cluster(moons(5000), asked)).result.warnings.join()).not.toMatch(/too large for the margin/);
  });

  it("takes several attributes of several groups", async () => {
    const draws = new Draws(3);
    const n = 900;
    const columns = [0, 1, 2].map(() => draws.list(n, () => draws.normal()));
    const many = peopleOf(columns, [draws.list(n, () => draws.below(3)), draws.list(n, () => draws.below(2))]);
    const { result, labels } = await cluster(many, { ...exact, k: 4, epsilon: 2, noise: operatingSystem });
    expect(new Set(labels).size).toBe(4);
    expect(Object.keys(result.privacy!.released.groups)).toEqual(["attribute 0", "attribute 1"]);
    expect(Math.min(...result.balance)).toBeGreaterThan(0.5);
  });

  it.each(landscapes)("survives %s, in few and many dimensions", async (landscape) => {
    for (const [n, dims, seed] of [
      [40, 1, 1],
      [300, 3, 2],
      [500, 12, 3],
    ]) {
      const draws = new Draws(seed);
      const codes = drawCodes(n, 2, draws);
      const who = peopleOf(drawColumns(landscape, n, dims, codes, draws), [codes]);
      const run = cluster(who, { ...exact, k: 2, epsilon: 1, noise: operatingSystem });
      const found = await run.catch((error) => error);
      // Where hardly two people differ there may be one cell only; that is an answer, a crash is not.
      if (found instanceof Error) expect(found.message).toMatch(/fall into 1 cells only/);
      else expect(found.labels.every((label: number) => label < 2)).toBe(true);
      const box = {
        ...who,
        dimensions: who.dimensions.map((values) => values.map((value) => value / 100)),
        publicBounds: true as const,
      };
      const hidden = cluster(box, { ...exact, k: 2, epsilon: 20, private: "all", noise: operatingSystem });
      const all = await hidden.catch((error) => error);
      if (all instanceof Error) expect(all.message).toMatch(/noise is larger than every cell|cells only/);
    }
  });

  it("says truly what it made", async () => {
    const { labels, result } = await cluster(people, { ...exact, epsilon: 1, noise: operatingSystem });
    const sizes = [0, 1, 2].map((m) => labels.filter((label) => label === m).length);
    expect(result.sizes).toEqual(sizes);
    expect(result.privacy!.released.sizes).toEqual(sizes);
    expect(result.privacy).toMatchObject({ mode: "attribute", epsilon: 1, delta: 0, randomness: "operating system" });
    expect(result.privacy!.ownerOnly).toContain("balance");
    expect(result.privacy!.quality.silhouette).toBeGreaterThan(-1);
  });

  it("uses one fit and one draw of noise for a sweep, and one release in the ledger", async () => {
    const records: LedgerRecord[] = [];
    const store = {
      read: async () => [...records],
      append: async (_: string, __: number, record: LedgerRecord) => records.push(record) > 0,
      datasets: async () => [],
    };
    const ledger = new Ledger(store, "moons", () => "now");
    const asked = { algorithm: "dp-fair", epsilon: 0.5, threads: 1, noise: operatingSystem, ledger } as const;
    const { result, clusterings } = await sweep(people, { ...asked, k: [2, 3, 5, 9] });
    expect(records).toHaveLength(1);
    expect(result.points.map(({ k }) => k)).toEqual([2, 3, 5, 9]);
    const cells = clusterings.map((clustering) => clustering!.cells!.centres);
    for (const other of cells) expect(other).toEqual(cells[0]);
    // The same noisy counts, whatever the clusters: their sums agree.
    const total = (at: number) => {
      const { released } = clusterings.at(at)!.result.privacy!;
      return released.groups.group.B.reduce((sum, count) => sum + count, 0);
    };
    expect(total(0)).toBeCloseTo(total(3), 1);
  });

  it("spends before it releases, and releases nothing when it may not spend", async () => {
    const order: string[] = [];
    const fill = (bytes: Uint8Array) => {
      order.push("noise");
      randomFillSync(bytes);
    };
    const noise = { secret: true, fill };
    const ledger = {
      spend: async () => {
        order.push("spend");
        return {
          dataset: "d",
          budget: null,
          spent: {
            attribute: { epsilon: 1, pureRho: 0.5, rho: 0, slack: 0 },
            person: { epsilon: 0, pureRho: 0, rho: 0, slack: 0 },
          },
          releases: [],
        };
      },
    };
    await cluster(people, { ...exact, epsilon: 1, noise, ledger });
    expect(order.slice(0, 2)).toEqual(["spend", "noise"]);
    expect(order.filter((event) => event === "spend")).toHaveLength(1);
    order.length = 0;
    const refusing = { spend: () => Promise.reject(new Error("no")) };
    await expect(cluster(people, { ...exact, epsilon: 1, noise, ledger: refusing })).rejects.toThrow("no");
    expect(order).toEqual([]);
    // Without noise there is nothing to spend.
    await cluster(people, { ...exact, ledger: refusing });
  });

  it("says that seeded noise is not private, and never seeds noise by --seed", async () => {
    const seeded = (seed: number) => cluster(people, { ...exact, epsilon: 0.05, seed, noise: seededNoise(7) });
    const one = await seeded(1);
    expect(one.result.privacy!.randomness).toBe("seeded: not private");
    expect(essence(await seeded(1))).toEqual(essence(one));
    const drawn = async () => {
      const { result } = await cluster(people, { ...exact, epsilon: 0.05, noise: operatingSystem });
      return JSON.stringify(result.privacy!.released);
    };
    expect(await drawn()).not.toBe(await drawn());
    await expect(cluster(people, { ...exact, epsilon: 1 })).rejects.toThrow(/without a source of randomness/);
  });

  it("keeps what is private out of the model", async () => {
    const box = boxedMoons(3000);
    const clustering = await cluster(box, { ...exact, epsilon: 4, private: "all", noise: operatingSystem });
    const { provenance } = toModel(box, clustering);
    expect(provenance).toMatchObject({ n: null, sse: null, fair: null });
    expect(clustering.result.privacy!.private).toEqual(["model", "privacy.released", "privacy.noisyBalance"]);
  });

  it("reports progress and stops when it is told to", async () => {
    const seen: Progress[] = [];
    await cluster(people, { ...exact, onProgress: (progress) => seen.push(progress) });
    expect(seen.map(({ pass }) => pass)).toEqual(seen.map((_, at) => at + 1));
    expect(seen.length).toBeGreaterThan(4);
    const controller = new AbortController();
    const late = cluster(people, { ...exact, signal: controller.signal, onProgress: () => controller.abort() });
    await expect(late).rejects.toMatchObject({ code: "cancelled" });
  });

  it.each<[string, Partial<ClusterOptions>, RegExp]>([
    ["several starts", { starts: 3 }, /one start/],
    ["sizes", { minSize: 5 }, /`minSize` does nothing with dp-fair: use f3km or teb/],
    [
      "private options of another algorithm",
      { algorithm: "f3km", epsilon: 1 },
      /`epsilon` does nothing with f3km: use fkm-plus or dp-fair/,
    ],
    ["more clusters than cells", { k: 30, components: 20 }, /20 components cannot be merged into k=30/],
  ])("refuses %s", async (_, options, message) => {
    await expect(cluster(people, { ...exact, ...options })).rejects.toThrow(message);
  });
});

describe("what labels depend on", () => {
  it.each([["attribute"], ["all"]] as const)("is features and noisy counts only: %s", async (mode) => {
    const one = boxedMoons(800);
    const [{ codes }] = one.attributes;
    const other = {
      ...one,
      attributes: [{ ...one.attributes[0], codes: codes.map((code, i) => (i < 1 ? 1 - code : code)) }],
    };
    for (const form of [{}, { lambda: 10 }]) {
      const plan = planFair(one, [2, 5], { epsilon: 2, private: mode, ...form }, alone);
      const lanes = openLanes(1);
      const siteOf = ({ n, dimensions, attributes }: People) =>
        MixtureSite.open(lanes, { n, dimensions, attributes, gridBits: 10 }, new Chance(seededNoise(4)), plan.terms);
      const counted = new Map<string, unknown>();
      /** The noisy counts of the first run are given to the second. */
      const groupOf = (site: MixtureSite): Group<MixtureSite> => {
        const group = new LocalGroup([site]);
        const ask: Group<MixtureSite>["ask"] = async (question, request) => {
          const answer = await group.ask(question, request);
          if (question.name !== "groups") return answer;
          const before = counted.get(question.name);
          if (before !== undefined) expect(answer).not.toEqual(before);
          else counted.set(question.name, answer);
          return counted.get(question.name) as typeof answer;
        };
        return new Proxy(group, { get: (whole, name) => (name === "ask" ? ask : Reflect.get(whole, name)) });
      };
      const solved = async (who: People) => {
        const { compare: _, ...found } = await plan.solve({
          group: groupOf(await siteOf(who)),
          seed: 1,
          maxIterations: 50,
        });
        return found;
      };
      expect(await solved(other)).toEqual(await solved(one));
      await closeLanes(lanes);
    }
  });
});

describe("the promise, end to end", () => {
  // One person of one cell changes groups; the fit does not look at groups, so the same cells serve both.
  const small = peopleOf(
    [[...Array(12).fill(0), ...Array(12).fill(9)].map((x, i) => x + (i % 3) / 10)],
    [Array.from({ length: 24 }, (_, i) => i % 2)],
  );
  const changed = {
    ...small,
    attributes: [{ ...small.attributes[0], codes: small.attributes[0].codes.map((c, i) => (i === 0 ? 1 - c : c)) }],
  };

  /** What an attacker sees of a run: the noisy count of the second group in the cluster of the first person. */
  const seen = async (who: People, epsilon: number, times: number) => {
    const values: number[] = [];
    for (let i = 0; i < times; i++) {
      const options = { ...exact, k: 2, components: 2, epsilon, noise: operatingSystem } as const;
      const { result, labels } = await cluster(who, options);
      const released = result.privacy!.released.groups["attribute 0"];
      values.push(Math.round(released["group 1"][labels[0]]));
    }
    return values;
  };

  it("is kept by whole runs, and found out when the noise is too small", async () => {
    const times = 4000;
    const replay = (values: readonly number[]) => {
      let at = 0;
      return () => values[at++];
    };
    const loss = async (epsilon: number) =>
      provenLoss(replay(await seen(small, epsilon, times)), replay(await seen(changed, epsilon, times)), times);
    expect(await loss(0.5)).toBeLessThanOrEqual(0.5);
    // Sabotage: the noise of epsilon 3 under a promise of 0.5.
    expect(await loss(3)).toBeGreaterThan(0.5);
  });
});

describe("the paper's data", () => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it("Twomoon, K=3: balance of 0.95 and more", async () => {
    const found: number[] = [];
    for (const seed of [1, 2, 3, 4, 5]) {
      const people = moons(1000, seed);
      const { labels } = await cluster(people, { ...inPaper, seed });
      found.push(paperBalance(people, labels, 3));
    }
    expect(mean(found)).toBeGreaterThanOrEqual(0.95);
  });
});
