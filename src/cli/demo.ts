import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import { generateTable, type Table, tableOfRows, writeTable } from "../table/index.js";
import { print, type Session } from "./session.js";
import { number } from "./values.js";

interface DemoFlags {
  readonly n?: number;
  readonly seed?: number;
  readonly folder?: string;
  readonly json?: boolean;
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

export function addDemo(program: Command, session: Session): void {
  program
    .command("demo")
    .description(
      "A whole federation on this machine: separate processes, real TLS, three parties, one fair clustering.",
    )
    .option("--n <number>", "invented people whom all three hold, beside others (default: 1000)", number("--n"))
    .option("--seed <number>", "of the population (default: 1)", number("--seed"))
    .option("--folder <folder>", "where kits, data and report go; it must not exist yet (default: a temporary one)")
    .option("--json", "print the result as JSON")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", example)
    .action((flags: DemoFlags) => run(flags, session));
}

async function run(flags: DemoFlags, session: Session): Promise<void> {
  const folder = flags.folder ?? (await mkdtemp(join(tmpdir(), "moiety-demo-")));
  if (flags.folder !== undefined) await makeFolder(flags.folder);
  const port = await freePort();
  const say = (text: string) => process.stderr.write(`${text}\n`);
  say(`A federation in ${folder}: a coordinator, ${Object.keys(sites).join(", ")}, and the analyst alice.`);
  await writeFiles(folder, port, flags);
  const children: ChildProcess[] = [];
  const start = (...args: string[]) => {
    say(`$ moiety ${args.join(" ")}`);
    const child = spawn(process.execPath, [process.argv[1]!, ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr?.on("data", (text) => words.set(child, `${words.get(child) ?? ""}${text}`.slice(-10_000)));
    children.push(child);
    return child;
  };
  const stop = () => {
    for (const child of children) child.kill("SIGKILL");
  };
  process.once("exit", stop);
  try {
    await session.interruption.during(async (signal) => {
      signal.addEventListener("abort", stop, { once: true });
      await finished(start("provision", "federation.yaml", "-o", "kits"));
      const coordinator = start("coordinator", "--kit", "kits/coordinator", "--host", "127.0.0.1");
      const parties = Object.keys(sites).map((name) =>
        start("party", "--kit", `kits/${name}`, "--data", `${name}.csv`, "--policy", `${name}.yaml`, "--threads", "1"),
      );
      await said(coordinator, /listening/);
      await Promise.all(parties.map((party) => said(party, /connected/)));
      const report = "report.html";
      const job = start(
        ...["job", "submit", "job.yaml", "--kit", "kits/alice", "--wait", "--report", report],
        ...(flags.json ? ["--json"] : []),
      );
      job.stderr?.on("data", (text) => process.stderr.write(text));
      const result = await finished(job);
      if (signal.aborted) throw new MoietyError("cancelled", "stopped before the end");
      print(flags.json ? result : `\n${result}`);
      // Logs are looked at when nobody writes into them any more.
      await Promise.all(parties.map((party) => said(party, /job \w+: done/)));
      stop();
      const logs = ["coordinator", ...Object.keys(sites)].map((name) => `kits/${name}/state/audit.log`);
      const verified = await finished(start("audit", "verify", "--offline", "--kit", "kits/alice", ...logs));
      if (flags.json) say(verified);
      else print(`\n${verified}\n`);
      say(`The report is ${join(folder, report)}.`);
      say("Each site's labels are in its kit's results; nothing else but the above left any of them.");
    });
  } finally {
    stop();
    process.off("exit", stop);
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "it exists already" : (error.code ?? error.message);
    throw new MoietyError("usage", `cannot make the folder ${folder}: ${why}; name another one`);
  });
}

async function writeFiles(folder: string, port: number, { n = 1000, seed = 1 }: DemoFlags): Promise<void> {
  const strangers = Math.max(6, Math.floor(n / 5));
  const people = generateTable("people", { n: n + strangers, seed });
  const parts: string[] = [];
  for (const [name, { features, protect }] of Object.entries(sites)) {
    const held: readonly string[] = ["person", ...features, ...protect];
    const columns = people.columns.filter((column) => held.includes(column.name));
    await writeTable(join(folder, `${name}.csv`), heldBy(name, { rows: people.rows, columns }, n));
    const lists = `features: [${features.join(", ")}], protect: [${protect.join(", ")}]`;
    parts.push(`  ${name}: { ${lists} }`);
    await writeFile(
      join(folder, `${name}.yaml`),
      `approval: automatic\nanalysts: [alice]\nalgorithms: [f3km]\nfeatures: [${features.join(", ")}]\nprotect: [${protect.join(", ")}]\n`,
    );
  }
  const names = Object.keys(sites).join(", ");
  await writeFile(
    join(folder, "federation.yaml"),
    `name: demo\ncoordinator: { host: 127.0.0.1, port: ${port} }\nparties: [${names}]\nanalysts: [alice]\n`,
  );
  await writeFile(
    join(folder, "job.yaml"),
    `algorithm: f3km\nk: 4\nid: person\nminSize: 20\nparties:\n${parts.join("\n")}\n`,
  );
}

/** What a site has of the population: each of the strangers is missing somewhere, and everybody's order is another. */
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

/** What a process printed. Throws its last words when it failed. */
async function finished(child: ChildProcess): Promise<string> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (text) => {
    out += text;
  });
  child.stderr?.on("data", (text) => {
    err += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code === 0) return out.trimEnd();
  throw new MoietyError(
    "failed",
    err
      .trim()
      .split("\n")
      .at(-1)
      ?.replace(/^moiety: /, "") || "a process of the demo ended",
  );
}

/** Waits until a process has said something, now or before. */
function said(child: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (pattern.test(words.get(child) ?? "")) resolve();
    };
    look();
    child.stderr?.on("data", look);
    child.once("close", () => {
      const last = words.get(child)?.trim().split("\n").at(-1);
      reject(new MoietyError("failed", last ?? "a process ended"));
    });
  });
}

/** The last words of every process. */
const words = new WeakMap<ChildProcess, string>();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
