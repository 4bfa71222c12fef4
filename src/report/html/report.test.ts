import { describe, expect, it } from "vitest";
import { renderReport } from "../report.js";
import { mostPoints } from "./map.js";
import { type FixtureOptions, fixture } from "./testing/fixtures.js";

function pageOf(options: FixtureOptions = {}): string {
  return renderReport({ ...fixture(options), command: "moiety cluster people.csv --k 3", source: "people.csv" });
}

/** The words of a part, as a reader sees them. */
function wordsOf(page: string, from: RegExp): string {
  const part = from.exec(page)?.[0] ?? "";
  return part
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

const sentence = /<p class="sentence">[\s\S]*?<\/p>/;

describe("the verdict", () => {
  it("says what fair means, in one sentence", () => {
    expect(wordsOf(pageOf(), sentence)).toBe(
      "In all 3 clusters, every group of sex has between 80% and 125% of its overall share.",
    );
  });

  it("says where the tolerance was needed", () => {
    // A delta of 0: hardly a share is exactly that of everybody.
    const page = pageOf({ delta: 0 });
    expect(wordsOf(page, /<p class="stamp">[\s\S]*?<\/p>/)).toMatch(/Fair to rounding$/);
    expect(page).toContain('class="verdict good"');
    expect(wordsOf(page, sentence)).toMatch(/, give or take 1 person\.$/);
    expect(wordsOf(page, /<ul class="notes">[\s\S]*?<\/ul>/)).toMatch(/[FM] of sex in cluster \d \(0\.5\)/);
  });

  it("says where it means nothing, for whom, and from which size on it would", () => {
    const page = pageOf({ n: 40, k: 6, delta: 0.6 });
    expect(wordsOf(page, /<p class="stamp">[\s\S]*?<\/p>/)).toMatch(/Fair without meaning$/);
    expect(page).toContain('class="verdict doubtful"');
    expect(wordsOf(page, sentence)).toMatch(/^Formally .* so small that 1 person is as much as a whole bound requires/);
    expect(wordsOf(page, /<ul class="notes">[\s\S]*?<\/ul>/)).toContain("--min-size meaningful");
  });

  it("names the worst group and cluster, and by how many people", () => {
    expect(wordsOf(pageOf({ apart: true }), sentence)).toMatch(
      /^In cluster \d, the group [FM] of sex has [\d.]+% of the people where at (least|most) [\d.]+% was asked for: [\d.]+ people too (few|many)\.$/,
    );
    expect(pageOf({ apart: true }).includes("Not fair")).toBe(true);
  });

  it("claims nothing where nothing is protected", () => {
    const page = pageOf({ groups: {} });
    expect(wordsOf(page, sentence)).toMatch(/^No group was protected/);
    expect(page.includes('id="shares"')).toBe(false);
    expect(page.includes("Nothing was promised to any group")).toBe(true);
  });

  it("knows bounds that were set one by one", () => {
    const { people, clustering } = fixture();
    const bounds = { sex: { F: { min: 0.3, max: 0.7 }, M: { min: 0, max: 1 } } };
    const page = renderReport({ people, clustering: { ...clustering, result: { ...clustering.result, bounds } } });
    expect(wordsOf(page, sentence)).toBe(
      "In all 3 clusters, every group of sex has a share within the bounds that were set for it.",
    );
  });

  it("tells unkept sizes from unkept shares", () => {
    const { people, clustering } = fixture();
    const page = renderReport({ people, clustering: { ...clustering, result: { ...clustering.result, fair: false } } });
    expect(wordsOf(page, sentence)).toMatch(/within its bounds, but some clusters are smaller or larger/);
  });

  it("carries the warnings", () => {
    expect(pageOf({ warnings: ["not converged after 50 passes"] }).includes("not converged after 50 passes.")).toBe(
      true,
    );
  });
});

describe("shares without promises", () => {
  const table = /<table class="grid">[\s\S]*?<\/table>/;

  it("stand beside those with them, for every group and cluster", () => {
    const { people, clustering } = fixture({ groups: { sex: ["F", "M"], region: ["north", "south", "west"] } });
    const page = renderReport({ people, clustering });
    const { groups, unconstrainedGroups } = clustering.result;
    for (const [attribute, shares] of Object.entries(unconstrainedGroups!)) {
      for (const [group, clusters] of Object.entries(shares)) {
        const row = new RegExp(`<th scope="row"><bdi>${group}</bdi></th>[\\s\\S]*?</tr>`).exec(page)?.[0] ?? "";
        const cells = Array.from(row.matchAll(/([\d.]+)%<small[^>]*>[^<]*<\/small><small[^>]*>([\d.]+)% without/g));
        expect(cells.map(([, now, before]) => [now, before])).toEqual(
          clusters.map((share, m) => [groups[attribute][group][m], share].map((each) => (100 * each).toFixed(1))),
        );
      }
    }
    expect(wordsOf(page, /<p><b>Without promises<\/b>[\s\S]*?<\/p>/)).toMatch(
      /^Without promises \d+ of 15 shares would be beyond their bounds: most of all that of \w+ of \w+, with [\d.]+% of cluster \d where at (least|most) [\d.]+% is allowed\. With them it is [\d.]+%\.$/,
    );
  });

  it("are left out where nobody knows them", () => {
    const { people, clustering } = fixture();
    const { unconstrainedGroups: _, unconstrainedSizes: __, ...result } = clustering.result;
    const page = renderReport({ people, clustering: { ...clustering, result } });
    expect(wordsOf(page, table)).not.toContain("without");
    expect(page).not.toContain("Without promises</b>");
  });
});

describe("the price", () => {
  const priced = (sse: number, unconstrainedSse: number) => {
    const { people, clustering } = fixture();
    const result = { ...clustering.result, sse, unconstrainedSse };
    return wordsOf(
      renderReport({ people, clustering: { ...clustering, result } }),
      /<section id="price">[\s\S]*?<\/p>/,
    );
  };

  it("is a percentage, or how many times as much, or in words where there is nothing to compare with", () => {
    expect(priced(100, 95)).toContain("made the clusters 5.26% less tight");
    expect(priced(100, 100)).toContain("The promises cost nothing");
    expect(priced(100, 1)).toContain("cost 100 times the squared distance that there would be without them");
    for (const free of [0, 1e-26]) {
      expect(priced(100, free)).toContain("there are no more distinct people than clusters");
      expect(priced(100, free)).not.toMatch(/e\+|Infinity|NaN/);
    }
  });
});

describe("the page", () => {
  it("has every section, in order", () => {
    const ids = ["shares", "sizes", "map", "convergence", "portraits", "price", "columns", "provenance"];
    expect(Array.from(pageOf().matchAll(/<section id="(\w+)"/g), ([, id]) => id)).toEqual(ids);
  });

  it("is the same for the same input", () => {
    const [once, again] = [pageOf({ levels: ["a", "b"] }), pageOf({ levels: ["a", "b"] })];
    expect(once === again).toBe(true);
  });

  it("loads, links to and runs nothing", () => {
    const page = pageOf({ levels: ["a", "b", "c"] });
    expect(page.match(/https?:|\/\/[a-z]|<script|<img|<iframe|@import|url\(|\son\w+=/i)?.[0]).toBeUndefined();
    expect(page.includes("default-src &#39;none&#39;")).toBe(true);
  });

  it("shows no ids and at most so many people", () => {
    const page = pageOf({ n: 9000, k: 2 });
    expect(page.includes("-secret")).toBe(false);
    const map = /<svg class="map"[\s\S]*?<\/svg>/.exec(page)?.[0] ?? "";
    expect(map.match(/M[\d.]+ [\d.]+m/g)?.length).toBe(mostPoints);
  });

  it("escapes every name", () => {
    const evil = `<script>alert("x")</script>'&`;
    const page = renderReport({
      ...fixture({
        groups: { [evil]: [evil, "M"] },
        columns: [evil, "b"],
        levels: [evil, "z"],
        warnings: [evil],
        apart: true,
      }),
      command: evil,
      source: evil,
      made: evil,
    });
    expect(page.match(/<script/i)?.[0]).toBeUndefined();
    expect(page.includes('alert("x")')).toBe(false);
    expect(page.includes("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;")).toBe(true);
  });

  it("keeps names in other scripts, and shortens endless ones", () => {
    const page = pageOf({ groups: { გენდერი: ["أنثى", "男", "🙂".repeat(500)] } });
    expect(page.includes("<bdi>أنثى</bdi>")).toBe(true);
    expect(page.includes("男")).toBe(true);
    expect(page.includes("🙂".repeat(200))).toBe(false);
    expect(Buffer.from(page).toString() === page).toBe(true);
  });

  it("takes groups and attributes with the names of properties", () => {
    expect(pageOf({ groups: { constructor: ["toString", "hasOwnProperty"] } }).includes("toString")).toBe(true);
  });

  it("survives an empty cluster, one dimension and one cluster", () => {
    for (const options of [{ emptyLast: true }, { columns: ["age"] }, { k: 1 }, { n: 2, k: 2 }]) {
      expect(pageOf(options).match(/NaN|undefined|Infinity/)?.[0]).toBeUndefined();
    }
  });
});

describe("the size", () => {
  const longest = 1_000_000;

  it("does not grow with the people", () => {
    expect(Buffer.byteLength(pageOf({ n: 200_000, k: 10, levels: ["a", "b", "c"] }))).toBeLessThan(longest / 2);
  });

  it("stays below 1 MB with many clusters, groups and features", () => {
    const many = (what: string, count: number) => Array.from({ length: count }, (_, i) => `${what.repeat(30)} ${i}`);
    const groups = { a: many("group", 200), b: many("kind", 200), c: ["x", "y"] };
    const page = pageOf({ n: 5_000, k: 50, groups, columns: many("feature", 100) });
    expect(Buffer.byteLength(page)).toBeLessThan(longest);
    expect(page.match(/the other 1\d\d of 200 are closer/)?.[0]).toBeDefined();
  });
});

describe("three hundred clusters", () => {
  const groups = { sex: ["F", "M"], region: ["a", "b", "c", "d"] };
  const page = pageOf({ n: 9000, k: 300, groups, columns: ["age", "income", "hours", "tenure", "debts", "visits"] });

  it("bury nothing: their tables and lists are there, and closed", () => {
    const open = page.replace(/<details[\s\S]*?<\/details>/g, "");
    expect(open.match(/<tr>/g)!.length).toBeLessThan(60);
    expect(page.match(/<summary>\w+ of all 300 clusters<\/summary>/g)).toHaveLength(5);
    expect(page).toContain("Cluster 299");
    expect(Buffer.byteLength(page)).toBeLessThan(1_500_000);
  });

  it("are named twelve at a time", () => {
    const notes = wordsOf(page, /<header class="verdict[\s\S]*?<\/header>/);
    expect(notes.length).toBeLessThan(4000);
  });
});

describe("the portraits", () => {
  it("are in words and in the units of the source", () => {
    const page = pageOf({ k: 3, levels: ["nurse", "clerk"] });
    expect(wordsOf(page, /<ul class="portraits">[\s\S]*?<\/ul>/)).toMatch(/younger \([\d.]+, overall [\d.]+\)/i);
    expect(page.match(/[+−]\d\.\d sd/)?.[0]).toBeDefined();
  });
});
