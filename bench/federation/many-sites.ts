import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readKit } from "../../src/federation/identity/kit.js";
import { analyst, type LocalSite, startFederation, writeFederation } from "../../src/federation/local/federation.js";
import { Processes } from "../../src/federation/local/processes.js";
import { Simulation } from "../../src/federation/local/simulation.js";
import { makeKits } from "../../src/federation/provision.js";
import type { Store } from "../../src/federation/store/types.js";
import { mostInPairs, neighbourhoodFor } from "../../src/privacy/masks/ring.js";
import { writeTable } from "../../src/table/disk/index.js";
import { generateTable, type Table, tableOfRows } from "../../src/table/index.js";
import { figure } from "../figure.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Line, Sheet } from "../types.js";

/** People of each site. */
const perSite = 20;
const features = ["income", "age", "visits"];
const job = "k: 3\nsplit: rows\nmaxIterations: 3\ngroups: { sex: [F, M, X] }";

/** The checkpoint of a job at which a tenth of its sites leaves: there are centres then, from which the others can go on. */
const leavingAt = 13;

/** Rows split over many sites: in one process, where each site has a ring of its own keys, and as processes over TLS. */
export async function manySites({ options, signal, say }: Bench): Promise<readonly Sheet[]> {
  const lines: Line[] = [];
  for (const sites of options.quick ? [3, 66] : [10, 100, 500]) {
    say(`${sites} sites in one process`);
    lines.push(await inMemory(sites));
    signal.throwIfAborted();
  }
  const count = options.quick ? 3 : 66;
  say(`${count} sites as processes`);
  const perRound = lines.map(({ at, figures }) => [Number(at.sites), figures["a round"].mean] as const);
  const growth = perRound.slice(1).map(([sites, mean], at) => {
    const [fewer, before] = perRound[at];
    const allowed = (sites * Math.log2(sites)) / (fewer * Math.log2(fewer));
    return `From ${fewer} to ${sites} sites a round takes ${(mean / before).toFixed(1)} x the processor time; n log n would be ${allowed.toFixed(1)} x.`;
  });
  return [
    {
      title: `Rows split over many sites in one process, ${perSite} people each, k 3`,
      lines,
      notes: [
        "A round is a question to all sites whose answers are summed; its figure is the processor time of all sites and of the coordinator together, since all of them share one process. In a federation the sites' part is spent at the sites, at the same time.",
        ...growth,
        "Memory is that of the process, over the number of sites. In the second job a tenth of the sites leaves in the middle and comes back.",
      ],
    },
    {
      title: "The same as processes over TLS",
      lines: [await asProcesses(count, signal)],
      notes: ["Memory is what the system says that a process holds when the job is done."],
    },
  ];
}

const nameOf = (site: number) => `site-${String(site).padStart(3, "0")}`;

function dealtTables(sites: number): Table[] {
  const all = generateTable("people", { n: sites * perSite, seed: 3 });
  const columns = all.columns.filter(({ name }) => [...features, "sex"].includes(name));
  return Array.from({ length: sites }, (_, site) => {
    const rows = Uint32Array.from({ length: perSite }, (_, at) => site * perSite + at);
    return tableOfRows({ rows: all.rows, columns }, rows);
  });
}

const policy = `approval: automatic
analysts: [alice]
algorithms: [fkm-plus]
features: [${features.join(", ")}]
protect: [sex]
protection: masked
labels: [parties]
minimum: { rows: 10, clusterSize: 1 }
`;

/** A federation in this process, whose log is looked at as it is written: nothing else happens while a job runs in memory. */
class WatchedSimulation extends Simulation {
  onLog: (line: string) => void = () => undefined;
  /** The coordinator writes something down. */
  onWrite: (key: string) => void = () => undefined;
  private watched = false;

  protected override note(name: string, line: string): void {
    super.note(name, line);
    this.onLog(`${name}: ${line}`);
  }

  override storeOf(name: string): Store {
    const store = super.storeOf(name);
    if (name !== "coordinator" || this.watched) return store;
    const write = store.write.bind(store);
    store.write = (key, bytes, options) => {
      this.onWrite(key);
      return write(key, bytes, options);
    };
    this.watched = true;
    return store;
  }
}

async function inMemory(count: number): Promise<Line> {
  const sites = Object.fromEntries(dealtTables(count).map((table, at) => [nameOf(at), { table, policy }]));
  const names = Object.keys(sites);
  const coordinator = { host: "localhost", port: 7443 };
  const plan = { name: "bench", coordinator, parties: names, analysts: [analyst], days: 1 };
  const provisioned = await timed(() => makeKits(plan, new Date()));
  const tenth = names.filter((_, at) => at % 10 === 4);
  const away = new AbortController();
  const federation = new WatchedSimulation(sites);
  await federation.begin(
    (name) => readKit(name, async (file) => provisioned.value.get(name)?.[file] ?? ""),
    (name) => (tenth.includes(name) ? away.signal : undefined),
  );
  const parties = names.map((name) => `  ${name}: { features: [${features.join(", ")}], protect: [sex] }`).join("\n");
  const card = `algorithm: fkm-plus\n${job}\nparties:\n${parties}\n`;
  try {
    const undisturbed = await run(federation, card, count);
    const memory = process.memoryUsage().rss;
    const disturbed = tenth.length > 0 ? await run(federation, card, count, { away, tenth }) : undefined;
    const { half } = count > mostInPairs ? neighbourhoodFor(count, count) : { half: (count - 1) / 2 };
    return {
      at: { sites: count, neighbours: 2 * half },
      figures: {
        provisioning: figure([provisioned.seconds], "s"),
        "until all have begun": figure([undisturbed.before], "s"),
        rounds: figure([undisturbed.rounds], ""),
        "a round": figure([undisturbed.perRound], "s"),
        "until all know": figure([undisturbed.after], "s"),
        ...(disturbed
          ? {
              "rounds since a tenth came back": figure([disturbed.rounds], ""),
              "were away": figure([disturbed.away], ""),
            }
          : {}),
        "memory a site": figure([memory / count], "B"),
      },
    };
  } finally {
    await federation.close();
  }
}

interface Leaving {
  readonly away: AbortController;
  readonly tenth: readonly string[];
}

/** Processor time of a job: until all sites have begun, and of each round from then on. Some may leave then, and come back. */
async function run(federation: WatchedSimulation, card: string, count: number, leaving?: Leaving) {
  const from = processorSeconds();
  let begun: number | undefined;
  let done = Number.NaN;
  let running = 0;
  let back = false;
  federation.onLog = (line) => {
    if (/^site-\d+: job \w+: running$/.test(line) && ++running === count) begun = processorSeconds();
    if (/^coordinator: job \w+: done$/.test(line)) done = processorSeconds();
    if (!leaving || back || !/^coordinator: job \w+: (going on with|paused)/.test(line)) return;
    back = true;
    for (const name of leaving.tenth) federation.join(name).catch(() => undefined);
  };
  let checkpoints = 0;
  federation.onWrite = (key) => {
    if (begun !== undefined && key.endsWith("/record") && ++checkpoints === leavingAt) leaving?.away.abort();
  };
  const { result } = await federation.run(card);
  const start = begun ?? from;
  const { rounds } = result.communication;
  const away = result.absences?.length ?? 0;
  return { before: start - from, rounds, away, perRound: (done - start) / rounds, after: processorSeconds() - done };
}

async function asProcesses(count: number, signal: AbortSignal): Promise<Line> {
  return inTemporaryFolder(async (temporary) => {
    const folder = join(temporary, "federation");
    await mkdir(folder);
    const sites = dealtTables(count).map((_, at): LocalSite => {
      return { name: nameOf(at), file: `${nameOf(at)}.csv`, features, protect: ["sex"] };
    });
    for (const [at, table] of dealtTables(count).entries()) await writeTable(join(folder, sites[at].file), table);
    const words = "protection: masked\nminimum: { rows: 10, clusterSize: 1 }\n";
    await writeFederation(folder, sites, {
      request: job.replace("maxIterations: 3", "maxIterations: 1"),
      policy: words,
    });
    const processes = new Processes(process.argv[1], folder);
    signal.addEventListener("abort", processes.stop, { once: true });
    try {
      const started = await timed(() => startFederation(processes, sites));
      const submit = ["job", "submit", "job.yaml", "--kit", `kits/${analyst}`, "--wait", "--json"];
      const ran = await timed(() => processes.finished(processes.start(...submit)));
      const { communication, seconds } = JSON.parse(ran.value) as {
        readonly communication: { readonly rounds: number };
        readonly seconds: { readonly read: number; readonly total: number };
      };
      const { coordinator, parties } = started.value;
      const memory = parties.map(({ pid }) => memoryOf(pid!));
      return {
        at: { sites: count },
        figures: {
          "until all are connected": figure([started.seconds], "s"),
          "the job": figure([ran.seconds], "s"),
          rounds: figure([communication.rounds], ""),
          "a round": figure([(seconds.total - seconds.read) / communication.rounds], "s"),
          "memory of a site": figure([memory.reduce((sum, each) => sum + each, 0) / memory.length], "B"),
          "memory of the coordinator": figure([memoryOf(coordinator.pid!)], "B"),
        },
      };
    } finally {
      signal.removeEventListener("abort", processes.stop);
      await processes.stop();
    }
  });
}

/** Bytes that a process holds; NaN where the system does not say. */
function memoryOf(pid: number): number {
  try {
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const begun = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - begun) / 1000 };
}
