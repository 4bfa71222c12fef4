import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import { textTable } from "../report/table.js";
import { version } from "../version.js";
import { printResult, type Session } from "./session.js";

/** Something that Moiety uses where it is there. */
interface Facility {
  readonly name: string;
  /** What was found, in a few words; null where there is nothing. */
  readonly found: string | null;
  /** What works with it, and does not without. */
  readonly gives: string;
  /** How to get it; null where it is there, or cannot be installed. */
  readonly missing: string | null;
  /** Nothing works without it. */
  readonly needed?: true;
}

const example = "\nExample:\n  $ moiety doctor";

export function define(command: Command, session: Session): void {
  command
    .option("--json", "print the findings as JSON")
    .addHelpText("after", example)
    .action(async (flags: { readonly json?: boolean }) => {
      const findings = await examine();
      const broken = findings.some(({ needed, found }) => needed && found === null);
      printResult(flags, { version, works: !broken, findings }, reportOf(findings, broken));
      if (broken) session.fail();
    });
}

async function examine(): Promise<Facility[]> {
  const { node } = process.versions;
  const findings: Facility[] = [
    {
      name: "Node.js",
      found: isAtLeast(node, 20, 11) ? node : null,
      gives: "everything",
      missing: isAtLeast(node, 20, 11) ? null : `it is ${node}: install 20.11 or newer`,
      needed: true,
    },
    {
      name: "threads",
      found: `${availableParallelism()}`,
      gives: "passes over everybody in parallel; labels do not depend on how many",
      missing: null,
    },
    await sharedMemory(),
    {
      name: "relaxed SIMD",
      found: isAtLeast(node, 22, 0) ? "yes" : null,
      gives: "faster passes, with the same labels",
      missing: "Node.js 22 or newer",
    },
    await packageFacility("DuckDB", "CSV, Parquet and JSON files, queries, labels and models on the disk", duckDb),
    await packageFacility("pg", "people who stay in PostgreSQL", () => import("pg"), "npm install pg"),
    await packageFacility("openid-client", "log-in to a federation's pages", openId, "npm install openid-client"),
    await packageFacility("apache-arrow", "people who stay in Spark", arrow, "npm install apache-arrow"),
    browser(),
    python(),
    program("Java machine", "java", ["-version"], "tests of Spark in a checkout", "OpenJDK 17 or newer"),
    postgresServer(),
  ];
  return findings.map((finding) => (finding.found === null ? finding : { ...finding, missing: null }));
}

function isAtLeast(found: string, major: number, minor: number): boolean {
  const [first, second] = found.split(".").map(Number);
  return first > major || (first === major && second >= minor);
}

/** A small clustering with two threads, which share its people. */
async function sharedMemory(): Promise<Facility> {
  const finding = {
    name: "shared memory",
    gives: "the kernels: nothing is computed without it",
    missing: "a Node.js with WebAssembly and SharedArrayBuffer (not started with --jitless)",
    needed: true as const,
  };
  try {
    const { cluster } = await import("../algorithms/cluster.js");
    const { generateTable, preparePeople } = await import("../table/index.js");
    const people = preparePeople(generateTable("people", { n: 400, seed: 1 }), { protect: ["sex"] });
    const { result } = await cluster(people, { k: 3, threads: 2 });
    return { ...finding, found: result.fair ? "yes, and a small clustering is fair" : null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...finding, found: null, missing: `${finding.missing}; a small clustering failed: ${why}` };
  }
}

async function duckDb(): Promise<unknown> {
  const { loadDuckDb } = await import("../table/disk/engine.js");
  return loadDuckDb();
}

const arrow = () => import("apache-arrow");
const openId = () => import("openid-client");

async function packageFacility(
  name: string,
  gives: string,
  load: () => Promise<unknown>,
  install?: string,
): Promise<Facility> {
  try {
    await load();
    return { name, found: "yes", gives, missing: null };
  } catch (error) {
    const said = error instanceof MoietyError ? error.message.split(": ").at(-1) : undefined;
    return { name, found: null, gives, missing: install ?? said ?? "install moiety again" };
  }
}

function browser(): Facility {
  const path = process.env.MOIETY_CHROMIUM ?? "/usr/bin/chromium";
  return {
    name: "Chromium",
    found: existsSync(path) ? path : null,
    gives: "tests of pages in a checkout; to read pages any browser does",
    missing: "Chromium, at /usr/bin/chromium or where MOIETY_CHROMIUM says",
  };
}

function python(): Facility {
  const name = process.env.MOIETY_PYTHON ?? "python3";
  const { status, stdout } = spawnSync(
    name,
    ["-c", "import sys, sklearn; print(sys.version.split()[0], sklearn.__version__)"],
    {
      encoding: "utf8",
    },
  );
  const [version, scikit] = (status === 0 ? stdout : "").trim().split(" ");
  return {
    name: "Python",
    found: scikit ? `${version} with scikit-learn ${scikit}` : null,
    gives: "the estimators for Python, and benchmarks beside scikit-learn",
    missing: "Python 3.10 or newer with scikit-learn 1.6 (python3, or where MOIETY_PYTHON says)",
  };
}

function program(name: string, command: string, args: readonly string[], gives: string, missing: string): Facility {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  const line = `${stdout ?? ""}${stderr ?? ""}`.split("\n")[0];
  return { name, found: status === 0 ? line : null, gives, missing };
}

/** Debian keeps the server out of the path. */
function postgresServer(): Facility {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base)
    ? readdirSync(base).filter((name) => existsSync(join(base, name, "bin", "postgres")))
    : [];
  const inPath = spawnSync("postgres", ["--version"], { encoding: "utf8" });
  const found = versions.length > 0 ? versions.join(", ") : inPath.status === 0 ? inPath.stdout.trim() : null;
  return {
    name: "PostgreSQL server",
    found,
    gives: "tests of PostgreSQL in a checkout; people in one elsewhere need no server here",
    missing: "PostgreSQL 13 or newer",
  };
}

function reportOf(findings: readonly Facility[], broken: boolean): string {
  return [
    `moiety ${version}`,
    "",
    textTable(findings, [
      ["", ({ found }) => (found === null ? "–" : "✓")],
      ["what", ({ name }) => name],
      ["found", ({ found, missing }) => found ?? (missing === null ? "no" : `no: ${missing}`)],
      ["what it gives", ({ gives }) => gives],
    ]),
    "",
    broken
      ? "Moiety does not work here: see what is needed above."
      : "Moiety works here. What is missing is needed only for what it gives.",
  ].join("\n");
}
