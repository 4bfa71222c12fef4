import { countPatterns, numberPeople } from "../../src/constraints/feasibility/index.js";
import { resolveBounds } from "../../src/constraints/resolve-bounds.js";
import { openLanes } from "../../src/kernels/lanes.js";
import { LocalGroup } from "../../src/parties/local-group.js";
import type { Answer, AnswerFields, AskedQuestion, Leaves, Question } from "../../src/parties/questions.js";
import type { RowSite } from "../../src/parties/row-site.js";
import { splitRows, stretches } from "../../src/parties/split-rows.js";
import { fairDescentOnRows } from "../../src/solver/row-fair-descent.js";
import { assignToNearest, openRows } from "../../src/solver/row-run.js";
import { Random } from "../../src/table/generators/random.js";
import { generateTable, preparePeople } from "../../src/table/index.js";
import { leastSquares } from "./linear.js";

/**
 * How near people are to other clusters, while rows are clustered fairly, is told as sums over all parties:
 * - of all: of every combination of groups;
 * - held back: of no combination that fewer than 5 people have: the default.
 */
export const marginProtections = ["of all", "held back"] as const;
export type MarginProtection = (typeof marginProtections)[number];

const features = ["age", "education", "hours", "income", "balance", "debts"];
const parties = 3;

/** What the coordinator is told of the people, question by question. */
interface Told {
  readonly name: string;
  readonly request: unknown;
  readonly answer: Readonly<Record<string, Float64Array>> | undefined;
}

/** Parties in this process whose sums are noted. */
class NotedGroup extends LocalGroup<RowSite> {
  readonly told: Told[] = [];

  override async ask<Request, What extends Leaves, Field extends string>(
    question: Question<RowSite, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    const asked = structuredClone(request);
    const answer = await super.ask(question, request);
    this.note(question.name, asked, answer as unknown as Told["answer"]);
    return answer;
  }

  override async askAll(asked: readonly AskedQuestion<RowSite>[]): Promise<readonly AnswerFields<string>[]> {
    const requests = asked.map(({ request }) => structuredClone(request));
    const answers = await super.askAll(asked);
    for (const [at, { question }] of asked.entries()) this.note(question.name, requests[at], answers[at]);
    return answers;
  }

  private note(name: string, request: unknown, answer: Told["answer"]): void {
    this.told.push({ name, request, answer: structuredClone(answer) });
  }
}

/** Between which numbers the difference of somebody's squared distances to two centres lies. */
type Interval = readonly [least: number, most: number];

/** What is known of a person at some centres: [own cluster * k + other]. */
type Known = Map<number, Interval>;

interface Thresholds {
  readonly moves: Uint32Array;
  readonly gaps: Float64Array;
}

/**
 * A combination of groups that one person has is a name for that person: counts of it say how far they are from borders, and borders say
 * where they are. The share of such people of whom the coordinator computes at least half of how far they are from the mean.
 */
export async function byMargins(
  { n, k, seed }: { readonly n: number; readonly k: number; readonly seed: number },
  protection: MarginProtection,
): Promise<number> {
  const table = generateTable("people", { n, seed });
  const people = preparePeople(table, { features, protect: ["sex", "ethnicity", "region"] });
  const patterns = countPatterns(people.attributes, n);
  const codes = Uint16Array.from(numberPeople(people.attributes, patterns, n));
  const kinds = { codes, count: patterns.counts.length };
  const group = new NotedGroup(splitRows(people, stretches(n, parties), kinds, openLanes(1)));
  const run = await openRows(group, features.length, k, patterns);
  const scale = 2 ** run.grid.bits;
  const rows = Array.from({ length: n }, (_, i) => people.dimensions.map((column) => Math.round(column[i] * scale)));
  const random = new Random(seed, 5);
  const start = Float64Array.from(Array.from({ length: k }, () => rows[random.below(n)]).flat());
  const { cost } = await assignToNearest(run, start);
  await fairDescentOnRows(run, start, {
    request: {
      n,
      k,
      patterns,
      sizes: { min: 2, max: n },
      bounds: resolveBounds(people.attributes, { delta: 0.2 }),
      tolerance: 1,
    },
    maxPasses: 50,
    cost,
    least: protection === "held back" ? 5 : 0,
    onPass: () => undefined,
  });
  const alone = Array.from(patterns.counts, (count, pattern) => (count === 1 ? pattern : -1)).filter(
    (pattern) => pattern >= 0,
  );
  const { mean, deviation } = run.spread;
  const found = alone.filter((pattern) => {
    const truth = rows[codes.indexOf(pattern)];
    const guessed = whereIs(pattern, group.told, { k, mean, deviation });
    const off = (place: ArrayLike<number>) =>
      truth.reduce((sum, value, j) => sum + ((value - place[j]) / deviation[j]) ** 2, 0);
    return off(guessed) <= off(mean) / 4;
  });
  return found.length / Math.max(1, alone.length);
}

/** The most likely place of the one person of a pattern, by all that was told, where others say how columns are spread. */
function whereIs(
  pattern: number,
  told: readonly Told[],
  { k, mean, deviation }: { readonly k: number; readonly mean: Float64Array; readonly deviation: Float64Array },
): Float64Array {
  const columns = mean.length;
  const sides = Array.from(deviation, (each, j) => Float64Array.from(mean, (_, i) => (i === j ? 1 / each : 0)));
  const equations = sides.map((side, j) => ({ side, value: mean[j] / deviation[j] }));
  let centres = new Float64Array(0);
  let known: Known = new Map();
  let own = -1;
  const conclude = () => {
    for (const [pair, [least, most]] of known) {
      if (!Number.isFinite(least) || !Number.isFinite(most)) continue;
      const [from, to] = [Math.floor(pair / k) * columns, (pair % k) * columns];
      // Anywhere in between.
      const certain = Math.sqrt(12) / Math.max(1, most - least);
      const side = mean.map((_, j) => -2 * certain * (centres[to + j] - centres[from + j]));
      const level = mean.reduce((sum, _, j) => sum + centres[to + j] ** 2 - centres[from + j] ** 2, 0);
      equations.push({ side, value: certain * ((least + most) / 2 - level) });
    }
    known = new Map();
  };
  const narrow = (to: number, [least, most]: Interval) => {
    const [low, high] = known.get(own * k + to) ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    known.set(own * k + to, [Math.max(low, least), Math.min(high, most)]);
  };
  for (const { name, request, answer } of told) {
    if (name === "measure") {
      conclude();
      ({ centres } = request as { centres: Float64Array<ArrayBuffer> });
    } else if (name === "assign") {
      const { offsets } = request as { offsets: Float64Array };
      const at = answer!.counts.subarray(pattern * k, (pattern + 1) * k).indexOf(1);
      if (at !== own) conclude();
      own = at;
      for (let to = 0; to < k; to++) {
        const paid = offsets[pattern * k + own] - offsets[pattern * k + to];
        if (to !== own) narrow(to, [paid, Number.POSITIVE_INFINITY]);
      }
    } else if (name === "below") {
      const { moves, gaps } = request as Thresholds;
      const width = gaps.length / Math.max(1, moves.length);
      moves.forEach((move, at) => {
        if (Math.floor(move / k) !== pattern * k + own) return;
        for (let edge = at * width; edge < (at + 1) * width; edge++) {
          const isBelow = answer!.counts[edge] > 0;
          narrow(
            move % k,
            isBelow ? [Number.NEGATIVE_INFINITY, gaps[edge] + 1] : [gaps[edge], Number.POSITIVE_INFINITY],
          );
        }
      });
    }
  }
  conclude();
  const sideOf = (j: number) => Float64Array.from(equations, ({ side }) => side[j]);
  const values = Float64Array.from(equations, ({ value }) => value);
  return leastSquares(Array.from(mean.keys(), sideOf), values);
}
