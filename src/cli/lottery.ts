import { randomBytes } from "node:crypto";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { Lottery, LotteryProgress } from "../grouping/lottery/types.js";
import { lotteryPage, lotteryReport } from "../report/lottery.js";
import { writeTable } from "../table/disk/index.js";
import { type Column, encodePeople, type People } from "../table/index.js";
import { readBounds } from "./bounds.js";
import { type ColumnFlags, readColumns } from "./columns.js";
import { pageOrigin } from "./command-line.js";
import { asFlags } from "./flags.js";
import { checkOutputs, filesOf, idColumn, type Output, tableOutput, textOutput, writeOutputs } from "./outputs.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

export interface LotteryFlags extends Pick<ColumnFlags, "protect" | "id" | "missing" | "na" | "decimal"> {
  readonly lottery?: boolean;
  readonly seats?: number;
  readonly quotas?: string;
  readonly seed?: number;
  readonly panel?: string;
  readonly chances?: string;
  readonly report?: string;
  readonly json?: boolean;
}

/** Draws a panel from a pool of volunteers. */
export async function runLottery(source: string, flags: LotteryFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  const { seats, seed, panel: panelFile, chances: chancesFile, report, id, missing } = flags;
  if (seats === undefined)
    throw new MoietyError("usage", "--seats is missing: say how many are drawn, such as --seats 40");
  const quotas = await readBounds(flags.quotas);
  if (!quotas)
    throw new MoietyError("usage", "--quotas is missing: name a file with the fewest and most of each group");
  await checkOutputs([panelFile, chancesFile, report], [source, flags.quotas]);
  session.progress.say("reading");
  const { protect: named = [], na, decimal } = flags;
  // Attributes that --protect cuts into groups or crosses have quotas under their columns' names.
  const own = Object.keys(quotas).filter((attribute) => !named.some((spec) => nameOf(spec) === attribute));
  const protect = [...named, ...own];
  const table = await readColumns(source, { ...defined({ na, decimal, id }), protect, features: [] });
  const people = encodePeople(table, [], { protect, ...defined({ id, missing }) });
  const read = seconds();
  const { lottery } = await import("../grouping/lottery/lottery.js");
  const tell = session.progress.say("finding fair chances");
  const onProgress = ({ phase, done, of }: LotteryProgress) => tell(` ${done} of ${of} ${phase}`);
  const found = await session.interruption.during((signal) =>
    lottery(people, {
      seats,
      quotas,
      ...defined({ seed }),
      chance,
      onProgress,
      signal,
      clock: () => performance.now(),
    }),
  );
  const warnings = found.result.warnings.map(asFlags);
  const timed = () => ({ ...found.result, warnings, seconds: { ...found.result.seconds, read, total: seconds() } });
  const outputs: Output[] = [
    ...(panelFile === undefined ? [] : [tableOf(panelFile, people, found.panel)]),
    ...(chancesFile === undefined ? [] : [tableOf(chancesFile, people, everybody(people), chanceColumns(found))]),
    ...(report === undefined ? [] : [textOutput(report, lotteryPage(timed(), pageOrigin(source)))]),
  ];
  await writeOutputs(outputs);
  session.progress.stop();
  const result = timed();
  printResult(flags, result, lotteryReport(result, filesOf(outputs)));
  if (panelFile === undefined) warn(["the panel was drawn and not written: name a file with --panel"]);
  warn(warnings);
}

/** From 0 to below 1, in 48 bits of the operating system's randomness. */
function chance(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
}

/** age:25,40 has the name age, and so has the attribute. */
function nameOf(spec: string): string {
  return spec
    .split("*")
    .map((part) => part.split(":")[0])
    .join("*");
}

function everybody({ n }: People): Uint32Array {
  return Uint32Array.from({ length: n }, (_, i) => i);
}

function chanceColumns({ panel, chances }: Lottery): Column[] {
  const chosen = new Int32Array(chances.length);
  for (const i of panel) chosen[i] = 1;
  return [
    { kind: "numeric", name: "chance", values: chances, missing: 0, notFinite: 0 },
    { kind: "text", name: "drawn", codes: chosen, levels: ["no", "yes"], missing: 0 },
  ];
}

/** Rows or ids of some people, and more columns about them. */
function tableOf(path: string, { sourceRows, ids }: People, which: Uint32Array, more: readonly Column[] = []): Output {
  const rows = which.length;
  const key: Column = ids
    ? idColumn(
        path,
        ids.column,
        Array.from(which, (i) => ids.values[i]),
      )
    : {
        kind: "numeric",
        name: "row",
        values: Float64Array.from(which, (i) => sourceRows[i]),
        missing: 0,
        notFinite: 0,
      };
  return tableOutput(path, (named) => writeTable(named, { rows, columns: [key, ...more] }));
}
