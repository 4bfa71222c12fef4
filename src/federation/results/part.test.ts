// Slow: tries to solve for what is left out, over many small tables.
import { describe, expect, it } from "vitest";
import { type Bounds, shareLimits } from "../../constraints/bounds.js";
import { resolveBounds } from "../../constraints/resolve-bounds.js";
import { judge } from "../../metrics/index.js";
import { renderFederatedReport } from "../../report/federated-page.js";
import { peopleOf } from "../../testing/people.js";
import { cardOf } from "../consent/card.js";
import { journalPart, measured, shown } from "./part.js";
import { summarise } from "./summary.js";

/** All tables of so many groups in clusters of these sizes, [group][cluster]. */
function allTables(groups: number, sizes: readonly number[]): number[][][] {
  const columns = sizes.map((size) => compositions(size, groups));
  return columns.reduce<number[][][]>(
    (tables, column) => tables.flatMap((table) => column.map((counts) => table.map((row, l) => [...row, counts[l]]))),
    [Array.from({ length: groups }, () => [])],
  );
}

function compositions(total: number, parts: number): number[][] {
  if (parts === 1) return [[total]];
  return Array.from({ length: total + 1 }, (_, first) =>
    compositions(total - first, parts - 1).map((rest) => [first, ...rest]),
  ).flat();
}

interface Attributes {
  readonly names: readonly string[];
  /** From the finest table to that of each attribute. */
  readonly views: readonly ((table: readonly (readonly number[])[]) => number[][])[];
  /** Whether group g of attribute b contains the finest group l. */
  readonly contains?: (b: number, g: number, l: number) => boolean;
  /** What is asked for, if not bounds of shares. */
  readonly represent?: number;
}

/** Everything that is shown of a table, and whether another one fits it. */
function publication(
  table: readonly (readonly number[])[],
  sizes: readonly number[],
  { names, views, represent }: Attributes,
) {
  const notion = represent === undefined ? {} : ({ notion: "representation", represent } as const);
  const asked = { delta: 0.2, tolerance: represent === undefined ? 1 : 0, bounds: undefined, ...notion };
  const n = sizes.reduce((sum, size) => sum + size, 0);
  const counts = views.map((view) => view(table));
  const attributes = names.map((name, a) => ({ name, groups: counts[a].map((_, l) => `group ${l}`) }));
  const bounds = attributes.map(({ name, groups }, a): Bounds => {
    const totals = counts[a].map((row) => row.reduce((sum, count) => sum + count, 0));
    const limits = totals.map((total) =>
      represent === undefined ? shareLimits(total / n, asked.delta) : { lower: 0, upper: 1 },
    );
    return {
      attribute: name,
      groups,
      counts: totals,
      lower: limits.map(({ lower }) => lower),
      upper: limits.map(({ upper }) => upper),
    };
  });
  return { counts, bounds, part: shown({ attributes, counts, sizes, bounds, smallest: 3, asked }) };
}

/** Hidden cells that no table that fits has at 0, or none at the minimum or above. */
function narrowed(table: readonly (readonly number[])[], sizes: readonly number[], from: Attributes): string[] {
  const own = publication(table, sizes, from);
  const { groups, bounds, fair } = own.part;
  // Where sex shows that no women are there, women of a race are not hidden: nobody is there.
  const shownEmpty = (a: number, l: number, m: number) =>
    from.names.some(
      (name, b) =>
        b !== a &&
        own.counts[b].some(
          (_, g) => groups[name][`group ${g}`][m] === 0 && from.contains?.(b, g, l) === true && a === 2,
        ),
    );
  const hidden = from.names.flatMap((name, a) =>
    own.counts[a].flatMap((row, l) =>
      row.flatMap((_, m) => (groups[name][`group ${l}`][m] === null && !shownEmpty(a, l, m) ? [{ a, l, m }] : [])),
    ),
  );
  if (hidden.length === 0) return [];
  const seen = hidden.map(() => ({ nobody: false, enough: false }));
  for (const other of allTables(table.length, sizes)) {
    const { counts, bounds: theirs, part } = publication(other, sizes, from);
    const fits =
      part.fair === fair &&
      from.names.every((name, a) =>
        counts[a].every((row, l) => {
          const told = groups[name][`group ${l}`];
          const limits = bounds[name][`group ${l}`];
          return (
            row.every((count, m) => told[m] === null || told[m] === count / sizes[m]) &&
            (limits === undefined || (limits.min === theirs[a].lower[l] && limits.max === theirs[a].upper[l]))
          );
        }),
      );
    if (!fits) continue;
    hidden.forEach(({ a, l, m }, at) => {
      seen[at].nobody ||= counts[a][l][m] === 0;
      seen[at].enough ||= counts[a][l][m] >= Math.min(3, sizes[m]);
    });
  }
  return hidden.flatMap(({ a, l, m }, at) => {
    const { nobody, enough } = seen[at];
    return nobody && enough ? [] : [`${from.names[a]} ${l} in ${m}: ${nobody ? "never enough" : "never nobody"}`];
  });
}

const single: Attributes = { names: ["sex"], views: [(table) => table.map((row) => [...row])] };
const sums = (rows: readonly (readonly number[])[]) =>
  rows[0].map((_, m) => rows.reduce((sum, row) => sum + row[m], 0));
/** Two by two groups: their sex, their race, and both. */
const crossed: Attributes = {
  names: ["sex", "race", "sex*race"],
  views: [
    ([a, b, c, d]) => [sums([a, b]), sums([c, d])],
    ([a, b, c, d]) => [sums([a, c]), sums([b, d])],
    (table) => table.map((row) => [...row]),
  ],
  contains: (b, g, l) => (b === 0 ? Math.floor(l / 2) : l % 2) === g,
};

describe("counts of few people", () => {
  it.each([
    [2, [7, 6]],
    [2, [4, 5, 6]],
    [3, [6, 5]],
    [3, [4, 4, 3]],
    [4, [5, 4]],
  ])("that are left out may be 0, and may be the minimum, by all that is shown: %i groups in %j", (groups, sizes) => {
    const tables = allTables(groups, sizes);
    // Every table where they are few, else every so many of them.
    const step = Math.ceil(tables.length / 60);
    for (let at = 0; at < tables.length; at += step) {
      expect(narrowed(tables[at], sizes, single), JSON.stringify(tables[at])).toEqual([]);
    }
  });

  it.each([0.3, 0.5])("so too where fair means that every group has %f of some cluster", (represent) => {
    const all = allTables(3, [6, 5]);
    for (let at = 0; at < all.length; at += 23) {
      expect(narrowed(all[at], [6, 5], { ...single, represent }), JSON.stringify(all[at])).toEqual([]);
    }
  });

  it("so too with an intersection beside its attributes", () => {
    const tables = allTables(4, [6, 5]);
    for (let at = 0; at < tables.length; at += 97) {
      expect(narrowed(tables[at], [6, 5], crossed), JSON.stringify(tables[at])).toEqual([]);
    }
  });

  it("are all left out, and all shown where there are none", () => {
    for (const table of allTables(3, [8, 7])) {
      const { part } = publication(table, [8, 7], single);
      table.forEach((row, l) => {
        const told = part.groups.sex[`group ${l}`];
        row.forEach((count, m) => {
          if (count > 0 && count < 3) expect(told[m]).toBeNull();
        });
        if (table.flat().every((count) => count === 0 || count >= 3)) expect(told).not.toContain(null);
      });
    }
  });
});

/** What party a tells of these people. */
function partOf(told: Parameters<typeof measured>[0]) {
  return { ...journalPart, party: "a", dimensions: told.people.dimensions.length, ...measured(told) };
}

describe("a group that is too small to be shown", () => {
  const codes = Array.from({ length: 60 }, (_, i) => (i < 3 ? 2 : i % 2));
  const people = peopleOf([codes.map((_, i) => i % 7)], [codes]);
  const labels = Uint16Array.from(codes, (_, i) => (i >> 1) % 2);

  it("is in no part: neither its shares, nor the bounds that tell how many it has", () => {
    const told = { people, labels, k: 2, bounds, asked };
    const open = partOf({ ...told, smallest: 1 });
    expect(Object.keys(open.bounds["attribute 0"])).toEqual(["group 0", "group 1", "group 2"]);
    const part = partOf({ ...told, smallest: 5 });
    expect(part.groups["attribute 0"]["group 2"]).toEqual([null, null]);
    // Shares of all others together would give it away, so another one goes with it.
    expect(Object.keys(part.bounds["attribute 0"]).length).toBe(1);
    expect(part.bounds["attribute 0"]["group 2"]).toBeUndefined();
    expect(part.balance).toEqual([]);
  });

  const asked = { delta: 0.2, tolerance: 1, bounds: undefined };
  const bounds = resolveBounds(people.attributes, { delta: 0.2 });
  const submission = { federation: "test", analyst: "alice", nonce: "0".repeat(32) };
  const parties = "parties:\n  a: { features: [x], protect: [s] }\n  b: { features: [y] }";
  const card = cardOf(`k: 2\n${parties}`, "job.yaml", submission);
  const facts = {
    n: 60,
    iterations: 1,
    converged: true,
    unconstrainedSse: null,
    excess: 0,
    history: [],
    communication: { rounds: 1, bytesUp: 1, bytesDown: 1 },
    passes: 1,
    epochs: 1,
    seconds: { read: 0, seed: 0, solve: 0, total: 0 },
  };

  it("is not in the report either", () => {
    const part = partOf({ people, labels, k: 2, bounds, smallest: 5, asked });
    const result = summarise(card, "0".repeat(64), facts, [part]);
    // What was found on the grid is not above what the sites measure.
    const free = summarise(card, "0".repeat(64), { ...facts, unconstrainedSse: result.sse * (1 + 1e-6) }, [part]);
    expect(free.unconstrainedSse).toBe(result.sse);
    expect(free).not.toHaveProperty("unconstrainedGroups");
    const page = renderFederatedReport({ result, history: [], card, made: "today" });
    expect(result.warnings.join()).toMatch(/a leaves out groups with fewer than 5 people/);
    const row = /<bdi>group 2<\/bdi>.*?<\/tr>/s.exec(page)![0];
    expect(row).not.toMatch(/\d%/);
  });

  it("is not named by the verdict, which says what can be read off what is shown", () => {
    const told = (smallest: number) => {
      const part = partOf({ people, labels, k: 2, bounds, smallest, asked });
      return summarise(card, "0".repeat(64), facts, [part]);
    };
    // Three of sixty: 0.04 of 30 people are 1.2, which means something; two of them are in one cluster.
    const open = told(1);
    expect(open).toMatchObject({ verdict: "fair-to-rounding", verdictDetails: { meaningfulSize: 26 } });
    expect(open.verdictDetails?.rounding.cells.map(({ group }) => group)).toContain("group 2");
    const { verdict, verdictDetails, fair, maxViolation, groups, ...result } = told(5);
    expect(JSON.stringify(verdictDetails)).not.toContain("group 2");
    expect(judge({ ...result, fair, maxViolation, groups })).toEqual({ verdict, verdictDetails });
    // Whoever only sees what is shown cannot know from which size on the hidden bound means something.
    expect(verdictDetails?.meaningfulSize).toBeLessThan(26);
  });

  it("may be what is not represented anywhere, and no cluster of it is told", () => {
    const request = `split: rows\nk: 2\nnotion: representation\nrepresent: 0.4\ngroups: { s: [a, b, c] }\n`;
    const sites = ["a", "b", "c"].map((name) => `  ${name}: { features: [x], protect: [s] }\n`).join("");
    const represents = cardOf(`${request}parties:\n${sites}`, "job.yaml", submission);
    expect(represents.tolerance).toBe(0);
    const told = (smallest: number) => {
      const part = partOf({ people, labels, k: 2, bounds, smallest, asked: represents });
      return summarise(represents, "0".repeat(64), facts, [part]);
    };
    const group = { attribute: "attribute 0", group: "group 2" };
    expect(told(1)).toMatchObject({ fair: false, notion: { lacking: [group] } });
    const result = told(5);
    expect(result).toMatchObject({ fair: false, verdict: "unfair", notion: { lacking: [] } });
    expect(JSON.stringify(result.notion)).not.toContain("group 2");
    const page = renderFederatedReport({ result, history: [], card: represents, made: "today" });
    expect(page).toContain("Not fair: groups that are not shown have too small a share");
  });

  it("may be what makes a result unfair, and nobody says that groups are within their bounds", () => {
    const apart = Uint16Array.from(codes, (code, i) => (code === 2 ? 0 : (i >> 1) % 2));
    const strict = { ...asked, tolerance: 0.5 };
    const part = partOf({ people, labels: apart, k: 2, bounds, smallest: 5, asked: strict });
    const result = summarise({ ...card, tolerance: 0.5 }, "0".repeat(64), facts, [part]);
    expect(result).toMatchObject({ fair: false, verdict: "unfair" });
    expect(result.maxViolation).toBeLessThanOrEqual(0.5);
    const page = renderFederatedReport({ result, history: [], card, made: "today" });
    expect(page).toContain("Not fair: groups that are not shown are beyond their bounds");
  });
});
