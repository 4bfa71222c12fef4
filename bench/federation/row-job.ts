import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cluster } from "../../src/algorithms/cluster.js";
import { analyst, type LocalSite, startFederation, writeFederation } from "../../src/federation/local/federation.js";
import { Processes } from "../../src/federation/local/processes.js";
import { writeTable } from "../../src/table/disk/index.js";
import { generateTable, preparePeople, type Table, tableOfRows } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Line, Sheet } from "../types.js";

const k = 3;
const columns = 24;
const names = ["bank-a", "bank-b", "hospital"] as const;
/** People, and seconds that a job of them may take. */
const sizes = [{ n: 100_000 }, { n: 1_000_000, goal: 8 }] as const;
/** Of the system's clock for processor time, which tells hundredths of seconds. */
const ticks = 100;

interface RowResult {
  readonly sse: number;
  readonly fair: boolean;
  readonly communication: { readonly rounds: number; readonly bytesUp: number };
  readonly seconds: { readonly read: number; readonly total: number };
  /** Of all sites and the coordinator, since they were connected. */
  readonly processor: number;
}

/** Fair clusters of people whose rows three institutions hold: processes over TLS, masks on. */
export async function rowJobs({ options, signal, say }: Bench): Promise<readonly Sheet[]> {
  const lines: Line[] = [];
  const most = options.n ?? Number.POSITIVE_INFINITY;
  for (const { n, ...rest } of options.quick ? [{ n: 300 }] : sizes.filter((size) => size.n <= most)) {
    const table = generateTable("census", { n, seed: 1 });
    const features = table.columns.filter(({ kind }) => kind === "numeric").map(({ name }) => name);
    const protect = table.columns.filter(({ kind }) => kind !== "numeric").map(({ name }) => name);
    const chosen = { features: features.slice(0, columns), protect: protect.slice(0, 2) };
    const people = preparePeople(table, chosen);
    const groups = people.attributes.map(({ name, groups: levels }) => `  ${name}: [${levels.join(", ")}]\n`);
    const runs: RowResult[] = [];
    const alone: { readonly seconds: number; readonly sse: number }[] = [];
    for (const seed of seedsOf(options.seeds)) {
      say(`rows split, ${n.toLocaleString("en-US")} people x ${columns}, seed ${seed}`);
      const request = `k: ${k}\nsplit: rows\nminSize: 2\nseed: ${seed}\ngroups:\n${groups.join("")}`;
      runs.push(await job(table, chosen, request, signal));
      const begun = performance.now();
      const { result } = await cluster(people, {
        ...{ k, seed, minSize: 2, split: "rows", parties: names.length, threads: options.threads },
      });
      alone.push({ seconds: (performance.now() - begun) / 1000, sse: result.sse });
      signal.throwIfAborted();
    }
    const pick = (of: (run: RowResult) => number) => runs.map(of);
    lines.push({
      at: { people: n, columns },
      figures: {
        run: figure(
          pick(({ seconds }) => seconds.total - seconds.read),
          "s",
          "goal" in rest ? { goal: { atMost: rest.goal } } : {},
        ),
        "processor time of all": figure(
          pick(({ processor }) => processor),
          "s",
        ),
        "in one process": figure(
          alone.map(({ seconds }) => seconds),
          "s",
        ),
        "SSE, of one process": figure(
          runs.map(({ sse }, at) => sse / alone[at].sse),
          "x",
        ),
        rounds: figure(
          pick(({ communication }) => communication.rounds),
          "",
        ),
        up: figure(
          pick(({ communication }) => communication.bytesUp),
          "B",
        ),
      },
      ...(runs.every(({ fair }) => fair) ? {} : { remark: "not fair" }),
    });
  }
  return [
    {
      title: `Rows split over three parties, a coordinator and an analyst as separate processes over TLS, masks on, k ${k}, delta 0.2`,
      lines,
      notes: [
        "Reading files is apart from the run, and a part of the processor time, which is that of all sites and of the coordinator since they were connected.",
        '"in one process" is the same clustering of the same parties without a federation. A federation asks nothing about groups that few people have: its SSE may be another one.',
      ],
    },
  ];
}

/** One job of parties that are processes of their own, each of which holds a third of the rows. */
function job(
  table: Table,
  { features, protect }: Pick<LocalSite, "features" | "protect">,
  request: string,
  signal: AbortSignal,
): Promise<RowResult> {
  return inTemporaryFolder(async (temporary) => {
    const folder = join(temporary, "federation");
    await mkdir(folder);
    const sites = names.map((name): LocalSite => ({ name, file: `${name}.parquet`, features, protect }));
    for (const [site, { file }] of sites.entries()) {
      const from = Math.floor((site * table.rows) / names.length);
      const to = Math.floor(((site + 1) * table.rows) / names.length);
      const rows = Uint32Array.from({ length: to - from }, (_, at) => from + at);
      await writeTable(join(folder, file), tableOfRows(table, rows));
    }
    await writeFederation(folder, sites, { request, policy: "protection: masked\n" });
    const processes = new Processes(process.argv[1], folder);
    signal.addEventListener("abort", processes.stop, { once: true });
    try {
      const { coordinator, parties } = await startFederation(processes, sites);
      const spent = () => [coordinator, ...parties].reduce((sum, { pid }) => sum + processorSecondsOf(pid!), 0);
      const before = spent();
      const submit = ["job", "submit", "job.yaml", "--kit", `kits/${analyst}`, "--wait", "--json"];
      const result = JSON.parse(await processes.finished(processes.start(...submit))) as Omit<RowResult, "processor">;
      return { ...result, processor: spent() - before };
    } finally {
      signal.removeEventListener("abort", processes.stop);
      await processes.stop();
    }
  });
}

/** What a process has spent, in its code and in the system's; NaN where the system does not say. */
function processorSecondsOf(pid: number): number {
  try {
    // The second field is a name in brackets; of those behind it the twelfth and the next one are meant.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticks;
  } catch {
    return Number.NaN;
  }
}
