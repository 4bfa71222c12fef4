// Slow: compares with the optimum of all assignments, and of all matchings.
import { describe, expect, it } from "vitest";
import { costOf, matchGroups, type Representation } from "../constraints/feasibility/match-groups.js";
import { MoietyError } from "../errors.js";
import { costsAt, fairestCentres, groupMoments } from "../metrics/group-costs.js";
import { measureIndividual, measureRepresentation, measureSocial, neighbourRadii } from "../metrics/index.js";
import type { People } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf, tiedPeople } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { representationOf } from "./represent.js";

/** Every assignment of these people to k clusters. */
function* assignments(n: number, k: number): Generator<Uint16Array> {
  for (let number = 0; number < k ** n; number++) {
    const labels = new Uint16Array(n);
    for (let i = 0, rest = number; i < n; i++, rest = Math.floor(rest / k)) labels[i] = rest % k;
    yield labels;
  }
}

function squared(people: People, i: number, centre: ArrayLike<number>): number {
  return people.dimensions.reduce((sum, column, j) => sum + (column[i] - centre[j]) ** 2, 0);
}

function some(seed: number, n: number, dims = 2): People {
  const draws = new Draws(seed);
  const codes = drawCodes(n, 2, draws);
  return peopleOf(drawColumns(landscapes[seed % landscapes.length], n, dims, codes, draws), [codes]);
}

describe("social", () => {
  it("finds the centres of given clusters around which the worst-off group costs least", () => {
    for (let seed = 0; seed < 12; seed++) {
      const people = some(seed, 9, 1);
      const moments = groupMoments(people.dimensions, people.attributes, new Uint16Array(9), 1);
      const found = fairestCentres(moments, new Float64Array(1));
      const [low, high] = [Math.min(...people.dimensions[0]), Math.max(...people.dimensions[0])];
      let least = Number.POSITIVE_INFINITY;
      for (let step = 0; step <= 20_000; step++) {
        const centre = Float64Array.of(low + ((high - low) * step) / 20_000);
        least = Math.min(least, Math.max(...costsAt(moments, centre)));
      }
      expect(found.worst).toBeLessThanOrEqual(least * (1 + 1e-5) + 1e-9);
      expect(found.least).toBeLessThanOrEqual(least * (1 + 1e-9) + 1e-9);
    }
  });

  it("comes near the optimum of all assignments, and says truly what groups cost", async () => {
    let [reached, all] = [0, 0];
    for (let seed = 0; seed < 12; seed++) {
      const people = some(seed, 9);
      let least = Number.POSITIVE_INFINITY;
      for (const labels of assignments(9, 2)) {
        const moments = groupMoments(people.dimensions, people.attributes, labels, 2);
        least = Math.min(least, fairestCentres(moments, new Float64Array(4)).worst);
      }
      const { labels, centres, result } = await cluster(people, { k: 2, notion: "social", starts: 8, threads: 1 });
      const notion = result.notion!;
      if (notion.name !== "social") throw new Error("another notion");
      const [{ groups, codes }] = people.attributes;
      const costs = groups.map((_, group) => {
        const own = Array.from(codes.keys()).filter((i) => codes[i] === group);
        return own.reduce((sum, i) => sum + squared(people, i, centres[labels[i]]), 0) / own.length;
      });
      expect(Object.values(notion.costs["attribute 0"])).toEqual(costs.map((cost) => expect.closeTo(cost, 8)));
      expect(notion.worst.cost).toBeCloseTo(Math.max(...costs), 8);
      expect(notion.worst.cost).toBeLessThanOrEqual(notion.plain!.worst.cost * (1 + 1e-9));
      expect(notion.worst.cost).toBeGreaterThanOrEqual(least * (1 - 1e-6) - 1e-9);
      expect(result.fair).toBeNull();
      all++;
      if (notion.worst.cost <= least * 1.001 + 1e-9) reached++;
    }
    expect(reached / all).toBeGreaterThanOrEqual(0.8);
  });

  it("is at a local optimum of its own, which random labels are not", async () => {
    const people = tiedPeople(300, 3, 2, 1);
    const { labels, centres, result } = await cluster(people, { k: 3, notion: "social" });
    expect(result.verdict).toBe("least-found");
    expect(measureSocial(people, labels, centres).notion.further).toBeLessThan(0.01);
    const mixed = labels.map((_, i) => i % 3);
    expect(measureSocial(people, mixed, centres).verdict).toBe("not-least");
  });
});

describe("individual", () => {
  it("finds the radius of the ball that holds n/k people", async () => {
    for (let seed = 0; seed < 6; seed++) {
      const people = some(seed, 23, 3);
      const radii = await neighbourRadii(people.dimensions, 23, 4);
      for (let i = 0; i < 23; i++) {
        const point = people.dimensions.map((column) => column[i]);
        const distances = Array.from({ length: 23 }, (_, other) => Math.sqrt(squared(people, other, point)));
        expect(radii[i]).toBeCloseTo(distances.sort((a, b) => a - b)[5], 9);
      }
    }
  });

  it("keeps a factor of 2 for everybody, duplicates too, at no more than the cost of the cover", async () => {
    for (let seed = 0; seed < 24; seed++) {
      const people = some(seed, 30 + seed);
      const k = 2 + (seed % 5);
      const { centres, result } = await cluster(people, { k, notion: "individual", threads: 1, seed });
      const radii = await neighbourRadii(people.dimensions, people.n, k);
      for (let i = 0; i < people.n; i++) {
        const distance = Math.min(...centres.map((centre) => Math.sqrt(squared(people, i, centre))));
        expect(distance).toBeLessThanOrEqual(2 * radii[i] * (1 + 1e-9));
      }
      expect(result).toMatchObject({ fair: true, verdict: "fair", notion: { beyond: 0 } });
    }
  });

  it("costs no more than the best people as centres within the factor, as a rule", async () => {
    let [reached, all] = [0, 0];
    for (let seed = 0; seed < 12; seed++) {
      const people = some(seed, 10);
      const radii = await neighbourRadii(people.dimensions, 10, 3);
      const points = Array.from({ length: 10 }, (_, i) => Float64Array.from(people.dimensions, (column) => column[i]));
      let least = Number.POSITIVE_INFINITY;
      for (const [a, one] of points.entries())
        for (const [b, two] of points.slice(a + 1).entries())
          for (const three of points.slice(a + b + 2)) {
            const chosen = [one, two, three];
            if (!measureIndividual(people, chosen, radii, 2).fair) continue;
            const cost = points.reduce((sum, _, i) => sum + Math.min(...chosen.map((c) => squared(people, i, c))), 0);
            least = Math.min(least, cost);
          }
      const { result } = await cluster(people, { k: 3, notion: "individual", threads: 1, seed });
      all++;
      if (result.sse <= least * (1 + 1e-6) + 1e-9) reached++;
    }
    expect(reached / all).toBeGreaterThanOrEqual(0.9);
  });

  it("says where a smaller factor was not reached", async () => {
    // Two far pairs and k=1: whoever is the centre, the others are far beyond their neighbours.
    const people = peopleOf([[0, 1, 100, 101, 102, 103]]);
    const { result } = await cluster(people, { k: 3, notion: "individual", factor: 1, threads: 1 });
    expect(result.notion).toMatchObject({ name: "individual", factor: 1 });
    expect(result.fair).toBe(result.notion!.name === "individual" && result.notion!.beyond === 0);
  });
});

describe("representation", () => {
  it("is fair wherever any assignment is, and refuses or says so elsewhere", async () => {
    let refused = 0;
    for (let seed = 0; seed < 20; seed++) {
      const draws = new Draws(seed);
      const n = 8;
      const codes = [drawCodes(n, 2 + (seed % 2), draws), ...(seed % 3 === 0 ? [drawCodes(n, 2, draws)] : [])];
      const people = peopleOf(drawColumns(landscapes[seed % landscapes.length], n, 2, codes[0], draws), codes);
      const k = 2 + (seed % 2);
      const asked = {
        name: "representation",
        share: [0.3, 0.5, 0.6, 0.34][seed % 4],
        clusters: 1 + (seed % 2),
        tolerance: 0,
      } as const;
      const judge = (labels: Uint16Array) => {
        const sizes = Array.from({ length: k }, (_, m) => labels.filter((label) => label === m).length);
        const counts = people.attributes.map(({ groups, codes }) =>
          groups.map((_, g) => sizes.map((_, m) => labels.filter((label, i) => label === m && codes[i] === g).length)),
        );
        return sizes.every((size) => size >= 1) && measureRepresentation(people.attributes, counts, sizes, asked).fair;
      };
      const possible = [...assignments(n, k)].some(judge);
      const options = { k, notion: "representation", represent: asked.share, inClusters: asked.clusters } as const;
      const found = await cluster(people, { ...options, minSize: 1, threads: 1 }).catch((error: unknown) => {
        if (error instanceof MoietyError && error.code === "infeasible") return undefined;
        throw error;
      });
      if (!found) refused++;
      expect(found?.result.fair ?? false).toBe(found ? judge(found.labels) : false);
      expect(found?.result.fair ?? false).toBe(possible);
    }
    expect(refused).toBeGreaterThan(3);
  });

  it("matches groups with clusters at nearly the least cost of all matchings", async () => {
    let [reached, all] = [0, 0];
    for (let seed = 0; seed < 8; seed++) {
      const draws = new Draws(seed);
      const people = peopleOf(
        [draws.list(60, () => draws.normal())],
        [drawCodes(60, 3, draws), drawCodes(60, 2, draws)],
      );
      const request: Representation = representationOf(
        people,
        { k: 3, sizes: { min: 1, max: 60 } },
        { name: "representation", share: 0.45, clusters: 1, tolerance: 0 },
      );
      const counts = request.patterns.counts;
      const present = {
        counts: Float64Array.from({ length: counts.length * 3 }, (_, cell) => {
          const people = counts[Math.floor(cell / 3)];
          return cell % 3 === 2 ? people - 2 * Math.floor(people / 3) : Math.floor(people / 3);
        }),
        moveCost: (from: number, to: number) => 1 + Math.abs(from - to) + 0.1 * to,
      };
      let least = Number.POSITIVE_INFINITY;
      for (const chosen of assignments(5, 3)) {
        const matching = [
          [[chosen[0]], [chosen[1]], [chosen[2]]],
          [[chosen[3]], [chosen[4]]],
        ];
        least = Math.min(least, await costOf(request, present, matching));
      }
      const found = await matchGroups(request, present);
      if (typeof found === "string") throw new Error("nothing was found");
      const cost = await costOf(request, present, found);
      expect(cost).toBeGreaterThanOrEqual(least - 1e-6);
      all++;
      if (cost <= least * 1.001 + 1e-6) reached++;
    }
    expect(reached / all).toBeGreaterThanOrEqual(0.7);
  });

  it("does not depend on parties and threads, and works on split rows", async () => {
    const people = tiedPeople(530, 4, 2, 1);
    const asked = { k: 4, notion: "representation", represent: 0.4, threads: 1 } as const;
    const alone = await cluster(people, asked);
    expect(alone.result.fair).toBe(true);
    for (const other of [{ parties: 5 }, { threads: 4 }]) {
      expect(Array.from((await cluster(people, { ...asked, ...other })).labels)).toEqual(Array.from(alone.labels));
    }
    const rows = await cluster(people, { ...asked, split: "rows", parties: 3 });
    expect(rows.result.fair).toBe(true);
  });
});

it("judges what other methods found, and does not hold it against bounds", async () => {
  const people = tiedPeople(200, 3, 2, 1);
  for (const options of [
    { notion: "social" },
    { notion: "individual" },
    { notion: "representation", represent: 0.9 },
  ] as const) {
    const { result } = await cluster(people, { k: 3, algorithm: "lloyd", ...options });
    expect(result.notion?.name).toBe(options.notion);
    expect(Object.values(result.bounds).flatMap((groups) => Object.values(groups))).toEqual(
      expect.arrayContaining([{ min: 0, max: 1 }]),
    );
    expect(result.maxViolation).toBe(0);
  }
});

it.each([
  [{ notion: "social", parties: 2 }, /one place, since weights of groups would take the groups away/],
  [{ notion: "social", split: "rows" }, /one place/],
  [{ notion: "individual", parties: 3 }, /every person's neighbours/],
  [{ notion: "social", delta: 0.1 }, /`delta` is for `notion: shares`/],
  [{ notion: "social", tolerance: 1 }, /`tolerance` is of shares/],
  [{ notion: "individual", factor: 0.5 }, /factor is 0.5/],
  [{ factor: 2 }, /`factor` is for `notion: individual`/],
  [{ notion: "representation" }, /`represent` is missing/],
  [{ notion: "representation", represent: 1.5 }, /represent is 1.5/],
  [{ notion: "representation", represent: 0.3, inClusters: 9 }, /9 clusters, and k=3/],
  [{ notion: "representation", represent: 0.3, solver: "admm" }, /admm/],
  [{ notion: "social", algorithm: "f3km" }, /f3km keeps `notion: shares`: use fair-lloyd/],
  [{ algorithm: "fair-lloyd", notion: "shares" }, /fair-lloyd keeps `notion: social`/],
  [{ notion: "individual", balance: 0.8 }, /`balance` does nothing with fair-radius/],
] as const)("refuses %o", async (options, says) => {
  await expect(cluster(tiedPeople(60, 3, 2, 1), { k: 3, ...options })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(says),
  });
});

it("needs groups where a notion is about groups", async () => {
  const people = { ...tiedPeople(60, 3, 2, 1), attributes: [] };
  await expect(cluster(people, { k: 3, notion: "social" })).rejects.toMatchObject({ code: "usage" });
  expect((await cluster(people, { k: 3, notion: "individual" })).result.fair).toBe(true);
});
