// Slow: runs of seventy sites.
import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import { fewestPresent } from "../../privacy/masks/ring.js";
import { tiedPeople } from "../../testing/people.js";
import { type Away, cardFor, dealtRows, simulate } from "../testing/simulated.js";
import type { PartyHandle } from "../transport/types.js";

const count = 70;
const people = tiedPeople(4 * count, 3, 1, 7);
const sites = dealtRows(people, count);
const groups = people.attributes.map(
  ({ name, groups }) => `  "${name}": [${groups.map((each) => `"${each}"`).join(", ")}]`,
);
const card = cardFor(
  sites,
  `algorithm: fkm-plus\nk: 3\nsplit: rows\nscale: none\nmaxIterations: 3\ngroups:\n${groups.join("\n")}`,
);

/** What the last of a batch's questions is, and everything else by its method. */
function nameOf(method: string, meta: unknown): string {
  const { steps } = meta as { steps?: { question: { ask: string; name?: string } }[] };
  return steps?.at(-1)?.question.name ?? method;
}

/** These sites hang up when the n-th question of a name is asked or its masks are opened, and come back after some more messages. */
function hangingUp(
  away: Away,
  at: { name: string; times: number; method: string },
  who: readonly string[],
  back: number,
) {
  let [asked, since] = [0, -1];
  return (handle: PartyHandle): PartyHandle => ({
    ...handle,
    ask: (method, meta, rest) => {
      if (handle.name === "p0") {
        if (nameOf(method, meta) === at.name) asked++;
        if (since < 0 && asked === at.times && method === at.method) {
          for (const name of who) away.add(name);
          since = 0;
        } else if (since >= 0 && ++since === back) away.clear();
      }
      return handle.ask(method, meta, rest);
    },
  });
}

describe("seventy sites that mask with their neighbours", () => {
  it("find the clusters of one process", async () => {
    const { labels, solution } = await simulate(sites, card);
    const alone = await cluster(people, {
      algorithm: "fkm-plus",
      k: 3,
      parties: count,
      split: "rows",
      maxIterations: 3,
    });
    expect(labels).toEqual([...alone.labels]);
    expect(solution.present).toHaveLength(count);
  });

  it.each([
    ["before their numbers", "batch"],
    ["after their numbers", "open"],
  ])("go on without a tenth that leaves %s, and with it when it comes back", async (_, method) => {
    const tenth = Array.from({ length: count - fewestPresent(count) }, (_, at) => `p${9 * at + 3}`);
    for (const back of [Number.POSITIVE_INFINITY, 12]) {
      const away: Away = new Set();
      const meddle = hangingUp(away, { name: "place", times: 3, method }, tenth, back);
      const { labels, solution } = await simulate(sites, card, { away, meddle });
      const stayed = sites.flatMap((_, at) => (back < 1e9 || !tenth.includes(`p${at}`) ? [`p${at}`] : []));
      expect(solution.present).toEqual(stayed);
      expect(solution.absences!.map(({ party }) => party).sort()).toEqual([...tenth].sort());
      const sizes = new Array<number>(card.k).fill(0);
      for (const label of labels) sizes[label]++;
      expect(solution.whole!.sizes).toEqual(sizes);
      expect(labels).toHaveLength(4 * stayed.length);
    }
  });

  it("stop where more have left than a quorum allows", async () => {
    const away: Away = new Set();
    const leaving = sites.slice(0, 1 + count - fewestPresent(count)).map((_, at) => `p${7 * at + 1}`);
    const run = simulate(sites, card, {
      away,
      meddle: hangingUp(away, { name: "place", times: 3, method: "batch" }, leaving, 1e9),
    });
    await expect(run).rejects.toThrow(/only 62 of 70 parties are there: sums need at least 63/);
  });
});
