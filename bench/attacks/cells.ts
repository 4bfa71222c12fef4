import { openLanes } from "../../src/kernels/lanes.js";
import { LocalGroup } from "../../src/parties/local-group.js";
import type { Answer, Leaves, Question } from "../../src/parties/questions.js";
import type { RowSite } from "../../src/parties/row-site.js";
import { splitRows, stretches } from "../../src/parties/split-rows.js";
import { RowLloyd } from "../../src/solver/row-lloyd.js";
import { openRows } from "../../src/solver/row-run.js";
import type { Random } from "../../src/table/generators/random.js";

/** What was given away of one cell (cluster) at one moment. */
interface Release {
  readonly count: number;
  readonly sums: Float64Array;
}

/**
 * How the sums of cells are given away while rows are clustered:
 * - plain: every party's, whenever anybody moved;
 * - masked: summed over the parties, whenever anybody moved;
 * - held back: summed, and a cell's only when at least 5 people came or went since its last ones: the default.
 */
export const cellProtections = ["plain", "masked", "held back"] as const;
export type CellProtection = (typeof cellProtections)[number];

const parties = 3;

type Totals = Readonly<Record<"counts" | "sums", Float64Array>>;

/** Parties in this process whose sums of cells are noted, for each party or all together. */
class NotedGroup extends LocalGroup<RowSite> {
  readonly noted = new Map<string, Release[]>();

  constructor(
    parties: readonly RowSite[],
    private readonly singly: boolean,
  ) {
    super(parties);
  }

  override async ask<Request, What extends Leaves, Field extends string>(
    question: Question<RowSite, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    if (question.name !== "totals") return super.ask(question, request);
    const { due } = request as { due: Uint8Array };
    let party = 0;
    const answer: typeof question.answer = async (site, asked) => {
      const whose = `of ${party++}`;
      const own = await question.answer(site, asked);
      if (this.singly) this.note(due, whose, own as unknown as Totals);
      return own;
    };
    const total = await super.ask({ ...question, answer }, request);
    if (!this.singly) this.note(due, "of all", total as unknown as Totals);
    return total;
  }

  private note(due: Uint8Array, whose: string, { counts, sums }: Totals): void {
    const columns = sums.length / counts.length;
    counts.forEach((count, cell) => {
      if (due[cell] === 0) return;
      const release = { count, sums: sums.slice(cell * columns, (cell + 1) * columns) };
      const name = `${cell} ${whose}`;
      this.noted.set(name, [...(this.noted.get(name) ?? []), release]);
    });
  }
}

export interface CellRecording {
  /** What was given away of each cell, in the order of time. */
  readonly streams: readonly (readonly Release[])[];
  /** Everybody's coordinates in the units of the sums. */
  readonly rows: readonly Float64Array[];
}

/** The exact Lloyd of fkm-plus, from one set of centres, over rows that three parties hold. */
export async function recordCells(
  columns: readonly Float64Array[],
  { k, rounds, protection }: { k: number; rounds: number; protection: CellProtection },
  random: Random,
): Promise<CellRecording> {
  const n = columns[0].length;
  const nobody = { codes: new Uint16Array(n), count: 1 };
  const holders = splitRows({ dimensions: columns }, stretches(n, parties), nobody, openLanes(1));
  const group = new NotedGroup(holders, protection === "plain");
  const run = await openRows(group, columns.length, k, { codes: [], counts: [n] });
  const rows = Array.from({ length: n }, (_, i) => {
    return Float64Array.from(columns, (column) => Math.round(Math.fround(column[i]) * 2 ** run.grid.bits));
  });
  const start = Float64Array.from(Array.from({ length: k }, () => [...rows[random.below(n)]]).flat());
  const least = protection === "held back" ? 5 : 1;
  await new RowLloyd(run, [start], { least, releases: rounds }).descend({ rounds });
  return { streams: [...group.noted.values()], rows };
}

/**
 * Two sums of a cell that differ by one person give that person's record. The share of people whose whole record
 * comes out.
 */
export function byDifferences({ streams, rows }: CellRecording): number {
  const people = new Map(rows.map((row, i) => [row.join(), i]));
  const found = new Set<number>();
  for (const stream of streams) {
    stream.slice(1).forEach((now, at) => {
      const before = stream[at];
      const sign = now.count - before.count;
      if (Math.abs(sign) !== 1) return;
      // Adding 0 turns -0 into 0, which is written the same.
      const person = people.get(now.sums.map((sum, j) => sign * (sum - before.sums[j]) + 0).join());
      if (person !== undefined) found.add(person);
    });
  }
  return found.size / rows.length;
}
