import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cluster } from "../../src/algorithms/cluster.js";
import { analyst, type LocalSite, startFederation, writeFederation } from "../../src/federation/local/federation.js";
import { Processes } from "../../src/federation/local/processes.js";
import { writeTable } from "../../src/table/disk/index.js";
import { type Column, generateTable, preparePeople, type Table } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import { privacy } from "../privacy.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Line, Sheet } from "../types.js";
import { rawSockets } from "./raw-sockets.js";

interface JobResult {
  readonly fair: boolean;
  readonly sse: number;
  readonly sizes: readonly number[];
  readonly passes: number;
  readonly communication: { readonly rounds: number; readonly bytesUp: number; readonly bytesDown: number };
  readonly seconds: { readonly read: number; readonly total: number };
}

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
    '"in one process" is the same clustering (sizes and SSE are compared) with all columns in one place and as many threads.',
  ];
  return [
    {
      title: `Three parties, a coordinator and an analyst as separate processes over TLS, k ${k}, delta 0.2`,
      lines,
      notes,
    },
    ...(await privacy(bench)),
  ];
}

async function lineOf(table: Table, size: Size, protection: string, { options, signal }: Bench): Promise<Line> {
  const runs: JobResult[] = [];
  const alone: Alone[] = [];
  const raw: number[] = [];
  const { columns, sites } = dealt(table, size.columns);
  for (const seed of seedsOf(options.seeds)) {
    runs.push(await job(columns, sites, { rows: table.rows, seed, protection, signal }));
    raw.push(await rawSockets(options.quick ? 8 : 64));
    alone.push(await inOneProcess({ rows: table.rows, columns: columns.flat() }, sites, seed, options.threads));
  }
  const pick = (of: (run: JobResult) => number) => runs.map(of);
  const spent = pick(({ seconds }) => seconds.total - seconds.read);
  const carried = runs.map(({ communication }, at) => communication.bytesUp / 1e6 / spent[at]);
  const at = { people: size.n, columns: size.columns, protection };
  return {
    at,
    figures: {
      run: figure(spent, "s", size.goal === undefined ? {} : { goal: { atMost: size.goal } }),
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
    ...remarkOn(runs, alone),
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

interface Asked {
  readonly rows: number;
  readonly seed: number;
  readonly protection: string;
  readonly signal: AbortSignal;
}

function job(columns: readonly Column[][], sites: readonly LocalSite[], asked: Asked): Promise<JobResult> {
  return inTemporaryFolder(async (temporary) => {
    const folder = join(temporary, "federation");
    await mkdir(folder);
    for (const [site, { file }] of sites.entries()) {
      await writeTable(join(folder, file), { rows: asked.rows, columns: columns[site] });
    }
    const request = `k: ${k}\nseed: ${asked.seed}\nprotection: ${asked.protection}`;
    await writeFederation(folder, sites, { request, policy: "protection: masked\n" });
    const processes = new Processes(process.argv[1], folder);
    asked.signal.addEventListener("abort", processes.stop, { once: true });
    try {
      await startFederation(processes, sites);
      const submit = ["job", "submit", "job.yaml", "--kit", `kits/${analyst}`, "--wait", "--json"];
      return JSON.parse(await processes.finished(processes.start(...submit))) as JobResult;
    } finally {
      asked.signal.removeEventListener("abort", processes.stop);
      processes.stop();
    }
  });
}

/** What should not be. Beyond many values one process tells the SSE of its grid, which differs in the seventh digit. */
function remarkOn(runs: readonly JobResult[], alone: readonly Alone[]): { remark?: string } {
  if (!runs.every(({ fair }) => fair)) return { remark: "not fair" };
  const same = runs.every(({ sse, sizes }, at) => {
    return Math.abs(sse / alone[at].sse - 1) < 1e-5 && String(sizes) === String(alone[at].sizes);
  });
  return same ? {} : { remark: "not the clusters of one process" };
}

interface Alone {
  readonly seconds: number;
  readonly sse: number;
  readonly sizes: readonly number[];
}

async function inOneProcess(table: Table, sites: readonly LocalSite[], seed: number, threads: number): Promise<Alone> {
  const protect = sites.flatMap((site) => site.protect);
  const people = preparePeople(table, { features: sites.flatMap((site) => site.features), protect });
  const begun = performance.now();
  // As small as a card allows that says nothing.
  const { result } = await cluster(people, { k, minSize: 2, seed, threads, effort: "lean" });
  return { seconds: (performance.now() - begun) / 1000, sse: result.sse, sizes: result.sizes };
}
