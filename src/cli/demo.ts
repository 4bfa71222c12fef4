import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { defaultDelta } from "../constraints/bounds.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { MoietyError } from "../errors.js";
import { analyst, type LocalSite, startFederation, writeFederation } from "../federation/local/federation.js";
import { Processes } from "../federation/local/processes.js";
import { meaningfulSize } from "../metrics/index.js";
import { textTable } from "../report/table.js";
import { writeTable } from "../table/disk/index.js";
import { generateTable, preparePeople, type Table, tableOfRows } from "../table/index.js";
import { print, type Session } from "./session.js";

interface DemoFlags {
  readonly n?: number;
  readonly seed?: number;
  readonly folder?: string;
  readonly json?: boolean;
  readonly pages?: boolean;
}

const example = `
Example:
  $ moiety demo --n 5000`;

/** Three institutions that hold other columns of many of the same people; the banks both know the income. */
const sites = {
  "bank-a": { features: ["age", "income"], protect: ["sex"] },
  "bank-b": { features: ["balance", "debts", "income"], protect: [] },
  hospital: { features: ["visits", "hours"], protect: ["ethnicity"] },
} as const;

const k = 4;

export function define(command: Command, session: Session): void {
  command
    .option("--n <number>", "generated people that all three parties have in common (default: 1000)")
    .option("--seed <number>", "seed of the generated people (default: 1)")
    .option("--folder <folder>", "keep kits, data and report here; it must not exist yet (default: nothing is kept)")
    .option("--json", "print the result as JSON")
    .option(
      "--pages",
      "serve the federation's pages and print their addresses, until Ctrl-C; jobs are written and approved there",
    )
    .addHelpText("after", example)
    .action((flags: DemoFlags) => run(flags, session));
}

async function run(flags: DemoFlags, session: Session): Promise<void> {
  const folder = flags.folder ?? (await mkdtemp(join(tmpdir(), "moiety-demo-")));
  if (flags.folder !== undefined) await makeFolder(flags.folder);
  // However it ends. A site that was killed a moment ago may still be writing.
  else process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const names = Object.keys(sites);
  say(`A federation in ${folder}: a coordinator, ${names.join(", ")}, and the analyst ${analyst}.`);
  const members = await writeFiles(folder, flags);
  if (flags.pages && flags.json)
    throw new MoietyError("usage", "--json is for the demo that ends by itself: leave it out");
  const processes = new Processes(process.argv[1], folder, (args) => say(`$ moiety ${args.join(" ")}`));
  let stopped = false;
  try {
    await session.interruption.during(async (signal) => {
      const stop = () => {
        stopped = true;
        void processes.stop();
      };
      signal.addEventListener("abort", stop, { once: true });
      if (flags.pages) return await showPages(processes, members, folder, signal);
      const { parties } = await startFederation(processes, members);
      const report = "report.html";
      const job = processes.start(
        ...["job", "submit", "job.yaml", "--kit", `kits/${analyst}`, "--wait", "--report", report],
        ...(flags.json ? ["--json"] : []),
      );
      job.stderr?.on("data", (text) => process.stderr.write(text));
      const result = await processes.finished(job);
      print(flags.json ? result : `\n${result}`);
      // Logs are looked at when nobody writes into them any more.
      await Promise.all(parties.map((party) => processes.said(party, /job \w+: done/)));
      await processes.stop();
      const logs = ["coordinator", ...names].map((name) => `kits/${name}/state/audit.log`);
      const verify = processes.start("audit", "verify", "--offline", "--kit", `kits/${analyst}`, ...logs);
      const verified = await processes.finished(verify);
      if (flags.json) say(verified);
      else print(`\n${verified}\n`);
      if (flags.folder === undefined)
        say("Nothing of this is kept; moiety demo --folder demo keeps kits, data and report.");
      else {
        say(`The report is ${join(folder, report)}.`);
        say("Each site's labels are in its kit's results; nothing else but the above left any of them.");
      }
    });
  } catch (error) {
    // A process that Ctrl-C has ended looks like one that failed.
    throw stopped ? new MoietyError("cancelled", "stopped before the end") : error;
  } finally {
    await processes.stop();
  }
}

/** The federation runs until Ctrl-C, and is seen and steered in its pages. */
async function showPages(
  processes: Processes,
  members: readonly LocalSite[],
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const { pages } = await startFederation(processes, members, { pages: true });
  const [coordinator] = pages;
  const audit = { whose: "audit", address: new URL("/audit.html", coordinator.address).href, pid: coordinator.pid };
  print(
    textTable(
      [...pages, audit],
      [
        ["page of", ({ whose }) => whose],
        ["process", ({ pid }) => String(pid), "right"],
        ["address", ({ address }) => address],
      ],
    ),
  );
  process.stderr.write(
    `Submit the job on ${analyst}'s page, approve or refuse it on the sites' pages, and follow it on the coordinator's.
End a process with kill, see whom the job waits for, and start it again with its command above, in ${folder}.
Afterwards drop ${folder}/kits/*/state/audit.log and a kit.json on the audit page. Ctrl-C ends all of it.
`,
  );
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  throw new MoietyError("cancelled", "stopped");
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "it exists already" : (error.code ?? error.message);
    throw new MoietyError("usage", `cannot make the folder ${folder}: ${why}; name another one`);
  });
}

async function writeFiles(folder: string, { n = 1000, seed = 1, pages }: DemoFlags): Promise<LocalSite[]> {
  const strangers = Math.max(6, Math.floor(n / 5));
  const people = generateTable("people", { n: n + strangers, seed });
  const members: LocalSite[] = [];
  for (const [name, { features, protect }] of Object.entries(sites)) {
    const held: readonly string[] = ["person", ...features, ...protect];
    const columns = people.columns.filter((column) => held.includes(column.name));
    const file = `${name}.csv`;
    await writeTable(join(folder, file), heldBy(name, { rows: people.rows, columns }, n));
    members.push({ name, file, features, protect });
  }
  const purpose = pages ? "purpose: Do branches and wards serve all groups alike?\n" : "";
  await writeFederation(folder, members, {
    request: `${purpose}k: ${k}\nid: person\nminSize: ${smallestOf(people, n)}`,
    approval: pages ? "manual" : "automatic",
  });
  return members;
}

/** The size from which bounds mean something. No real site could know it; here all people are invented. */
function smallestOf(people: Table, common: number): number {
  const rows = tableOfRows(
    people,
    Uint32Array.from({ length: common }, (_, row) => row),
  );
  const protect = Object.values(sites).flatMap((site) => site.protect);
  const { attributes } = preparePeople(rows, { features: ["age"], protect });
  const meaningful = meaningfulSize(resolveBounds(attributes, { delta: defaultDelta }), common, k, 1);
  return k * meaningful <= common ? meaningful : 2;
}

/** What a site holds of the population: the people not in common are each missing at one site, and every site has its own order. */
function heldBy(site: string, people: Table, common: number): Table {
  const missing = Object.keys(sites).indexOf(site);
  const rows = Array.from({ length: people.rows }, (_, row) => row).filter(
    (row) => row < common || row % 3 !== missing,
  );
  const place = (row: number) => createHash("sha256").update(`${site} ${row}`).digest("hex");
  const places = new Map(rows.map((row) => [row, place(row)]));
  rows.sort((one, other) => (places.get(one)! < places.get(other)! ? -1 : 1));
  return tableOfRows(people, Uint32Array.from(rows));
}
