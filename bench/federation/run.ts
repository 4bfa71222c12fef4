import { cluster } from "../../src/algorithms/cluster.js";
import type { LocalSite } from "../../src/federation/local/federation.js";
import { type Column, generateTable, type People, preparePeople, type Table } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import { privacy } from "../privacy.js";
import type { Bench, Line, Sheet } from "../types.js";
import { besideEncrypted } from "./encrypted.js";
import { type JobResult, job } from "./job.js";
import { countQuestions } from "./questions.js";
import { rawSockets } from "./raw-sockets.js";
import { rowQuestions } from "./row-questions.js";

interface Size {
  readonly n: number;
  readonly columns: number;
  /** Seconds. */
  readonly goal?: number;
  /** Whether round trips and bytes have goals: where people are few, they decide. */
  readonly small?: boolean;
}

const k = 3;
/** What small federations may take: round trips, and times the bytes of the sites' own columns. */
const mostRounds = 200;
const mostBytes = 20;
/** Milliseconds each way on a slow line, and seconds that a small job may take over such lines. */
const delay = 50;
const slowGoal = 30;
const names = ["bank-a", "bank-b", "hospital"] as const;
const sizes: readonly Size[] = [
  { n: 1000, columns: 24, goal: 3, small: true },
  { n: 10_000, columns: 24, goal: 3, small: true },
  { n: 100_000, columns: 24, goal: 3, small: true },
  { n: 1_000_000, columns: 24, goal: 6 },
  { n: 5_000_000, columns: 53, goal: 20 },
];

function sizesUpTo(most = Number.POSITIVE_INFINITY): readonly Size[] {
  const fitting = sizes.filter(({ n }) => n <= most);
  return fitting.length > 0 ? fitting : [{ n: most, columns: 24 }];
}

/** Jobs of separate processes over TLS, and what raw TLS sockets carry on the same machine; then what each protection costs. */
export async function federation(bench: Bench): Promise<readonly Sheet[]> {
  const { options, signal, say } = bench;
  const chosen = options.quick ? [{ n: 100, columns: 3 }] : sizesUpTo(options.n);
  const lines: Line[] = [];
  for (const size of chosen) {
    const table = generateTable("census", { n: size.n, seed: 1 });
    for (const protection of size.n === 10_000 ? ["masked", "blinded"] : ["blinded"]) {
      say(`three parties, ${size.n.toLocaleString("en-US")} people x ${size.columns}, ${protection}`);
      lines.push(await lineOf(table, size, protection, bench));
      signal.throwIfAborted();
    }
  }
  const notes = [
    "People come in the same order everywhere; reading them is apart, and the alignment of ids is in the table below. Passes count every comparison of a tournament, and every stage over a sample, as a part of a pass.",
    '"in one process" is the same clustering (labels are compared, of many people sizes and SSE) with all columns in one place and as many threads.',
    `"over slow lines" is the first seed's job with everything ${delay} ms late each way between the coordinator and everybody else.`,
  ];
  return [
    {
      title: `Three parties, a coordinator and an analyst as separate processes over TLS, k ${k}, delta 0.2`,
      lines,
      notes,
    },
    await questionsSheet(
      chosen.filter((size) => size.small || options.quick),
      bench,
    ),
    await rowQuestions(bench),
    await besideEncrypted(bench),
    ...(await privacy(bench)),
  ];
}

/** What the sites hand over in each phase, and how often. */
async function questionsSheet(chosen: readonly Size[], { say, signal }: Bench): Promise<Sheet> {
  const lines: Line[] = [];
  for (const { n, columns: count } of chosen) {
    say(`questions about ${n.toLocaleString("en-US")} people, counted`);
    const table = generateTable("census", { n, seed: 1 });
    const { columns, sites } = dealt(table, count);
    const { phases } = await countQuestions(peopleOf({ rows: n, columns: columns.flat() }, sites), request(1));
    const passes = (numbers: number) => figure([numbers / (n * (k - 1))], "");
    for (const { phase, exchanges, numbers } of phases) {
      lines.push({
        at: { people: n, phase },
        figures: { exchanges: figure([exchanges], ""), passes: passes(numbers) },
      });
    }
    const sum = (of: (phase: (typeof phases)[number]) => number) => phases.reduce((all, phase) => all + of(phase), 0);
    lines.push({
      at: { people: n, phase: "all" },
      figures: {
        exchanges: figure([sum((phase) => phase.exchanges)], ""),
        passes: passes(sum((phase) => phase.numbers)),
      },
    });
    signal.throwIfAborted();
  }
  return {
    title: `What is asked in each phase of such a job, k ${k}, first seed`,
    lines,
    notes: ["A pass is as many numbers as a look at everybody takes."],
  };
}

async function lineOf(table: Table, size: Size, protection: string, { options, signal }: Bench): Promise<Line> {
  const runs: JobResult[] = [];
  const alone: Alone[] = [];
  const raw: number[] = [];
  const { columns, sites } = dealt(table, size.columns);
  const asked = { k, rows: table.rows, protection, labels: size.small === true, signal };
  for (const seed of seedsOf(options.seeds)) {
    runs.push(await job(columns, sites, { ...asked, seed }));
    raw.push(await rawSockets(options.quick ? 8 : 64));
    alone.push(await inOneProcess({ rows: table.rows, columns: columns.flat() }, sites, seed, options.threads));
  }
  const slow = size.small ? [await job(columns, sites, { ...asked, seed: 1, delay })] : [];
  const pick = (of: (run: JobResult) => number) => runs.map(of);
  const spentBy = ({ seconds }: JobResult) => seconds.total - seconds.read;
  const spent = pick(spentBy);
  const carried = runs.map(({ communication }, at) => communication.bytesUp / 1e6 / spent[at]);
  const at = { people: size.n, columns: size.columns, protection };
  return {
    at,
    figures: {
      run: figure(spent, "s", size.goal === undefined ? {} : { goal: { atMost: size.goal } }),
      ...(size.small ? { "over slow lines": figure(slow.map(spentBy), "s", { goal: { atMost: slowGoal } }) } : {}),
      "in one process": figure(
        alone.map(({ seconds }) => seconds),
        "s",
      ),
      passes: figure(
        pick(({ passes }) => passes),
        "",
        size.goal === undefined || size.small ? {} : { goal: { atMost: 15 } },
      ),
      rounds: figure(
        pick(({ communication }) => communication.rounds),
        "",
        size.small ? { goal: { atMost: mostRounds } } : {},
      ),
      up: figure(
        pick(({ communication }) => communication.bytesUp),
        "B",
      ),
      "up, of own columns": figure(
        pick(({ communication }) => communication.bytesUp / (8 * size.n * size.columns)),
        "x",
        size.small ? { goal: { atMost: mostBytes } } : {},
      ),
      down: figure(
        pick(({ communication }) => communication.bytesDown),
        "B",
      ),
      "MB a second": figure(carried, ""),
      "raw TLS, MB a second": figure(raw, ""),
      "of raw TLS": figure(
        runs.map((_, which) => carried[which] / raw[which]),
        "x",
        size.goal === undefined || size.small ? {} : { goal: { atLeast: 0.6 } },
      ),
    },
    ...remarkOn([...runs, ...slow], [...alone, ...alone.slice(0, slow.length)]),
  };
}

/** The numbers of the census dealt over three institutions, and two protected attributes over two of them. */
function dealt(table: Table, count: number): { columns: Column[][]; sites: LocalSite[] } {
  const isGroup = ({ kind }: Column) => kind !== "numeric";
  const numbers = table.columns.filter((column) => !isGroup(column)).slice(0, count);
  const groups = table.columns.filter(isGroup).slice(0, 2);
  const columns: Column[][] = [];
  const sites = names.map((name, site): LocalSite => {
    const features = numbers.filter((_, at) => at % names.length === site);
    const protect = groups.filter((_, at) => at + 1 === site);
    columns.push([...features, ...protect]);
    const called = (list: readonly Column[]) => list.map((column) => column.name);
    return { name, file: `${name}.parquet`, features: called(features), protect: called(protect) };
  });
  return { columns, sites };
}

/** What should not be. Beyond many values one process tells the SSE of its grid, which differs in the seventh digit. */
function remarkOn(runs: readonly JobResult[], alone: readonly Alone[]): { remark?: string } {
  if (!runs.every(({ fair }) => fair)) return { remark: "not fair" };
  const same = runs.every(({ sse, sizes, labels }, at) => {
    const own = alone[at];
    if (labels && String(labels) !== String(own.labels)) return false;
    return Math.abs(sse / own.sse - 1) < 1e-5 && String(sizes) === String(own.sizes);
  });
  return same ? {} : { remark: "not the clusters of one process" };
}

interface Alone {
  readonly seconds: number;
  readonly sse: number;
  readonly sizes: readonly number[];
  readonly labels: Uint16Array;
}

/** As small clusters as a card allows that says nothing. */
const request = (seed: number) => ({ k, minSize: 2, seed, effort: "lean" }) as const;

function peopleOf(table: Table, sites: readonly LocalSite[]): People {
  const protect = sites.flatMap((site) => site.protect);
  return preparePeople(table, { features: sites.flatMap((site) => site.features), protect });
}

async function inOneProcess(table: Table, sites: readonly LocalSite[], seed: number, threads: number): Promise<Alone> {
  const people = peopleOf(table, sites);
  const begun = performance.now();
  const { result, labels } = await cluster(people, { ...request(seed), threads });
  return { seconds: (performance.now() - begun) / 1000, sse: result.sse, sizes: result.sizes, labels };
}
