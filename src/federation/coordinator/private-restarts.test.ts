import { describe, expect, it } from "vitest";
import { generateTable, type People, preparePeople } from "../../table/index.js";
import type { Card } from "../consent/card.js";
import { type Away, cardFor, type Disk, dealtRows, newDisk, type Simulated, simulate } from "../testing/simulated.js";
import type { PartyHandle } from "../transport/types.js";

const people: People = preparePeople(generateTable("people", { n: 240, seed: 3 }), {
  features: ["age", "hours"],
  protect: ["sex"],
  box: { age: [0, 100], hours: [0, 100] },
});
const groups = people.attributes[0].groups.map((group) => `"${group}"`).join(", ");
const box = "box: { age: [0, 100], hours: [0, 100] }";
const sites = (count: number, open = false) => dealtRows(open ? { ...people, attributes: [] } : people, count);
const fair = (more: string, count = 3) =>
  cardFor(
    sites(count),
    `algorithm: dp-fair\nsplit: rows\nk: 2\nepsilon: 100\n${more}\ngroups: { sex: [${groups}] }\n${box}`,
  );
const jobs: readonly (readonly [string, Card, readonly People[]])[] = [
  ["dp-fair", fair("components: 2\nmaxIterations: 3"), sites(3)],
  ["dp-fair of all", fair("components: 2\nprivate: all"), sites(3)],
  [
    "private fkm-plus",
    cardFor(sites(3, true), `algorithm: fkm-plus\nsplit: rows\nk: 2\ncomponents: 2\nepsilon: 100\n${box}`),
    sites(3, true),
  ],
];

/** Everything of a result but what it took. */
function told({ labels, solution }: Simulated) {
  const { communication: _, ...rest } = solution;
  return { labels, ...rest };
}

/** A disk that knows what left twice as another one, and nothing else: a run that was never interrupted would read it so. */
function sameNoise({ released }: Disk): Disk {
  const disk = newDisk();
  for (const [name, numbers] of released) disk.released.set(name, { ...numbers!, among: ["any"] });
  return disk;
}

/** Noise that is drawn a second time is a fault. */
function writeOnce(disk: Disk): Disk {
  const set = disk.released.set.bind(disk.released);
  disk.released.set = (name, numbers) => {
    if (disk.released.has(name)) throw new Error(`${name} was drawn twice`);
    return set(name, numbers);
  };
  return disk;
}

const killed = new Error("killed");

/** Everybody dies at a message: before it arrives, or before its answer does. */
function mortal(message: number, answered: boolean, seen: string[] = []) {
  let left = message;
  return (handle: PartyHandle): PartyHandle => ({
    ...handle,
    ask: async (method, meta, rest) => {
      const dies = left-- === 0;
      if (dies && !answered) throw killed;
      const answer = await handle.ask(method, meta, rest);
      if (left < 0 || dies) throw killed;
      seen.push(`${handle.name} ${JSON.stringify((meta as { steps?: unknown }).steps ?? method)}`);
      return answer;
    },
  });
}

/** Whatever was heard is the sum of what lies on the sites' disks, where that carries noise. */
function expectHeard({ results, released }: Disk, parties: number): void {
  const names = [...released.keys()].filter((key) => key.startsWith("0/")).map((key) => key.slice(2));
  for (const name of names) {
    const heard = results[name === "groups" ? results.length - 1 : Number(name.slice("sums ".length))];
    const parts = Array.from({ length: parties }, (_, at) => released.get(`${at}/${name}`)!.numbers);
    const sums = parts[0].map((_, i) => parts.reduce((sum, part) => sum + part[i], 0));
    expect((heard as { numbers: number[] }).numbers).toEqual(sums);
  }
}

describe.each(jobs)("a private run whose processes are killed: %s", (_, card, holders) => {
  it("at any message goes on, draws no noise again, and ends as if nothing had been", async () => {
    const asked: string[] = [];
    await simulate(holders, card, { meddle: mortal(Number.POSITIVE_INFINITY, false, asked) });
    const sums = (list: string[]) => list.filter((each) => /"name":"(mixture|groups|cells)"/.test(each)).length / 3;
    for (let message = 0; message < asked.length; message++) {
      const disk = writeOnce(newDisk());
      const answered = (message + Math.floor(message / 3)) % 2 === 0;
      await expect(simulate(holders, card, { disk, meddle: mortal(message, answered) })).rejects.toThrow("killed");
      const { position = 0 } = disk;
      const again: string[] = [];
      const after = await simulate(holders, card, { disk, meddle: mortal(Number.POSITIVE_INFINITY, false, again) });
      // What was heard is not asked again.
      expect(sums(again)).toBe(sums(asked) - position);
      expectHeard(disk, holders.length);
      if (message % 12 === 5)
        expect(told(await simulate(holders, card, { disk: sameNoise(disk) }))).toEqual(told(after));
    }
  });

  it("again and again ends all the same", async () => {
    const disk = writeOnce(newDisk());
    for (let lives = 1; ; lives++) {
      // Just enough for one sum.
      const outcome = await simulate(holders, card, { disk, meddle: mortal(9, lives % 2 === 0) }).catch((error) => {
        if (error !== killed) throw error;
      });
      if (!outcome) continue;
      expect(lives).toBeGreaterThan(3);
      expectHeard(disk, holders.length);
      expect(told(await simulate(holders, card, { disk: sameNoise(disk) }))).toEqual(told(outcome));
      break;
    }
  });
});

describe("a private run that a site has left", () => {
  const card = fair("components: 2\nprivate: all\nquorum: 3", 4);
  /** p3 hangs up at a question. */
  const leaving = (away: Away, number: number) => (handle: PartyHandle) => ({
    ...handle,
    ask: (...asked: Parameters<PartyHandle["ask"]>) => {
      const question = JSON.stringify(asked[1]);
      if (handle.name === "p3" && question.includes('"mixture"') && question.includes(`"number":${number}`))
        away.add("p3");
      return handle.ask(...asked);
    },
  });

  it("goes on without it when everybody is killed afterwards, at any message, and its part is not laid bare", async () => {
    const count: string[] = [];
    const gone: Away = new Set();
    const counting = mortal(Number.POSITIVE_INFINITY, false, count);
    await simulate(sites(4), card, { away: gone, meddle: (handle) => counting(leaving(gone, 2)(handle)) });
    let without = 0;
    for (let message = 0; message < count.length; message += 2) {
      const disk = writeOnce(newDisk());
      const away: Away = new Set();
      const dying = mortal(message, true);
      const meddle = (handle: PartyHandle) => dying(leaving(away, 2)(handle));
      await expect(simulate(sites(4), card, { disk, away, meddle })).rejects.toThrow("killed");
      // It is back.
      const after = await simulate(sites(4), card, { disk });
      const missed = after.solution.absences!.length > 0;
      if (missed) without++;
      const same: Away = new Set();
      const expected = await simulate(sites(4), card, {
        disk: sameNoise(disk),
        ...(missed ? { away: same, meddle: leaving(same, 2) } : {}),
      });
      expect(told(after)).toEqual(told(expected));
    }
    expect(without).toBeGreaterThan(5);
    expect(without).toBeLessThan(count.length / 2);
  });

  it("waits for a site that leaves in the question that was asked before the kill", async () => {
    const disk = newDisk();
    let groupsAnswered = 0;
    const dying = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: async (method, meta, rest) => {
        const answer = await handle.ask(method, meta, rest);
        if (JSON.stringify(meta).includes('"groups"')) groupsAnswered++;
        if (method === "disclose" && groupsAnswered === 4) throw killed;
        return answer;
      },
    });
    await expect(simulate(sites(4), card, { disk, meddle: dying })).rejects.toThrow("killed");
    const away: Away = new Set();
    const leaves = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: (...asked) => {
        if (handle.name === "p3" && JSON.stringify(asked[1]).includes('"groups"')) away.add("p3");
        return handle.ask(...asked);
      },
    });
    await expect(simulate(sites(4), card, { disk, away, meddle: leaves })).rejects.toThrow("a party has left");
    expect((await simulate(sites(4), card, { disk })).solution.absences).toEqual([]);
  });
});
