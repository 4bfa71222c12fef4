import { MoietyError } from "../../errors.js";
import { Random } from "../../table/generators/random.js";
import type { People } from "../../table/types.js";
import { version } from "../../version.js";
import { checkUnweighted } from "../request.js";
import { type Distribution, fairLottery } from "./leximin.js";
import { checkQuotas, type Pool, poolOf } from "./quotas.js";
import type { Lottery, LotteryOptions, QuotaResult } from "./types.js";

/**
 * Draws a panel that keeps the quotas, so that everybody's chance of being drawn is as equal as they allow: the least chance is as large as it
 * can be, then the next least, and so on. People who are alike in all quotas have the same chance.
 */
export async function lottery(
  people: Pick<People, "n" | "attributes" | "weights" | "warnings">,
  options: LotteryOptions,
): Promise<Lottery> {
  const clock = options.clock ?? (() => 0);
  const begun = clock();
  const { seats, seed, signal } = options;
  checkUnweighted(people);
  const pool = poolOf(people, seats, options.quotas);
  const chance = chanceOf(options);
  await checkQuotas(pool, signal);
  const found = await fairLottery(pool, options);
  const ofKinds = chancesOf(pool, found);
  const chances = Float64Array.from(pool.kindOf, (kind) => ofKinds[kind]);
  const panel = drawPanel(pool, found, chance);
  const solve = (clock() - begun) / 1000;
  const { counts } = pool;
  const without = counts.reduce((sum, count, p) => sum + (ofKinds[p] < 1e-7 ? count : 0), 0);
  return {
    panel,
    chances,
    result: {
      version,
      n: pool.n,
      seats,
      equalChance: seats / pool.n,
      leastChance: Math.min(...ofKinds),
      greatestChance: Math.max(...ofKinds),
      bound: found.bound,
      certificate: counts.flatMap((count, p) => {
        const weight = found.weights[p];
        return weight > 1e-9 ? [{ groups: groupsOf(pool, p), people: count, weight }] : [];
      }),
      leximin: found.leximin,
      withoutChance: without,
      kinds: counts.length,
      panels: found.panels.length,
      drawnBy: seed === undefined ? "operating system" : { seed },
      quotas: quotaResults(pool, ofKinds, panel),
      seconds: { read: 0, solve, total: solve },
      warnings: [
        ...people.warnings,
        ...(without > 0 ? [`${without} people can be in no panel that keeps the quotas: their chance is 0`] : []),
        ...(found.leximin ? [] : ["chances above the least may not be as equal as they could be: use fewer quotas"]),
      ],
    },
  };
}

function chanceOf({ seed, chance }: LotteryOptions): () => number {
  if (seed !== undefined) {
    if (!(Number.isSafeInteger(seed) && seed >= 0)) {
      throw new MoietyError("usage", `seed is ${seed}: give a whole number of at least 0`);
    }
    const random = new Random(seed, 4);
    return () => random.uniform();
  }
  if (chance) return chance;
  throw new MoietyError("usage", "nothing says where chance comes from: give `seed` or `chance`");
}

/** The chance of a person of each kind. */
export function chancesOf({ counts }: Pool, { panels, probabilities }: Distribution): number[] {
  return counts.map((count, p) => {
    const chance = panels.reduce((sum, panel, j) => sum + (probabilities[j] * panel[p]) / count, 0);
    // What a sum in another order would change is not worth showing.
    return Number(chance.toFixed(12));
  });
}

/** One of the panels, and of each kind as many people as it has, all of them with the same chance. */
export function drawPanel(pool: Pool, { panels, probabilities }: Distribution, chance: () => number): Uint32Array {
  let left = chance();
  let at = 0;
  while (at < panels.length - 1 && left >= probabilities[at]) left -= probabilities[at++];
  const members: number[][] = pool.counts.map(() => []);
  pool.kindOf.forEach((kind, i) => void members[kind].push(i));
  const drawn = members.flatMap((people, kind) => {
    for (let seat = 0; seat < panels[at][kind]; seat++) {
      const other = seat + Math.floor(chance() * (people.length - seat));
      [people[seat], people[other]] = [people[other], people[seat]];
    }
    return people.slice(0, panels[at][kind]);
  });
  return Uint32Array.from(drawn).sort();
}

function groupsOf({ attributes, codes }: Pool, kind: number): Record<string, string> {
  return Object.fromEntries(attributes.map(({ name, groups }, at) => [name, groups[codes[at][kind]]]));
}

function quotaResults(
  { attributes, quotas, counts, kindOf, codes }: Pool,
  chances: readonly number[],
  panel: Uint32Array,
) {
  const drawn = counts.map(() => 0);
  for (const i of panel) drawn[kindOf[i]]++;
  return Object.fromEntries(
    attributes.map(({ name, groups }, at) => [
      name,
      Object.fromEntries(
        groups.map((group, code): [string, QuotaResult] => {
          const quota = quotas.find((each) => each.attribute === name && each.group === group);
          const kinds = counts.map((_, p) => p).filter((p) => codes[at][p] === code);
          const sum = (value: (p: number) => number) => kinds.reduce((total, p) => total + value(p), 0);
          const pool = sum((p) => counts[p]);
          const { min = 0, max = panel.length } = quota ?? {};
          const chance = sum((p) => counts[p] * chances[p]) / pool;
          return [group, { min, max, pool, drawn: sum((p) => drawn[p]), chance }];
        }),
      ),
    ]),
  );
}
