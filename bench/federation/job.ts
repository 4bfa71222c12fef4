import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { analyst, type LocalSite, startFederation, writeFederation } from "../../src/federation/local/federation.js";
import { Processes } from "../../src/federation/local/processes.js";
import { writeTable } from "../../src/table/disk/index.js";
import type { Column } from "../../src/table/index.js";
import { freePort } from "../free-port.js";
import { inTemporaryFolder } from "../temporary.js";
import { delayedLine } from "./delayed-line.js";

export interface JobResult {
  readonly fair: boolean;
  readonly sse: number;
  readonly sizes: readonly number[];
  readonly passes: number;
  readonly communication: { readonly rounds: number; readonly bytesUp: number; readonly bytesDown: number };
  readonly seconds: { readonly read: number; readonly total: number };
  /** Everybody's cluster, where it was asked for. */
  readonly labels?: readonly number[];
}

interface Asked {
  readonly k: number;
  readonly rows: number;
  readonly seed: number;
  readonly protection: string;
  /** Whether everybody's cluster comes with the result. */
  readonly labels: boolean;
  /** Milliseconds that everything takes each way between the coordinator and everybody else; default 0. */
  readonly delay?: number;
  readonly signal: AbortSignal;
}

/** One job of parties that are processes of their own. */
export function job(columns: readonly Column[][], sites: readonly LocalSite[], asked: Asked): Promise<JobResult> {
  return inTemporaryFolder(async (temporary) => {
    const folder = join(temporary, "federation");
    await mkdir(folder);
    for (const [site, { file }] of sites.entries()) {
      await writeTable(join(folder, file), { rows: asked.rows, columns: columns[site] });
    }
    const words = asked.labels ? "labels: [parties, analyst]\n" : "";
    const request = `k: ${asked.k}\nminSize: 2\nseed: ${asked.seed}\nprotection: ${asked.protection}\n${words}`;
    const port = await freePort();
    const line = asked.delay === undefined ? undefined : await delayedLine(port, asked.delay);
    await writeFederation(folder, sites, {
      ...{ request, policy: `protection: masked\n${words}` },
      port: line?.port ?? port,
    });
    const processes = new Processes(process.argv[1], folder);
    asked.signal.addEventListener("abort", processes.stop, { once: true });
    try {
      await startFederation(processes, sites, { port });
      const submit = ["job", "submit", "job.yaml", "--kit", `kits/${analyst}`, "--wait", "--json"];
      const labels = asked.labels ? ["--labels", "labels.csv"] : [];
      const result = JSON.parse(await processes.finished(processes.start(...submit, ...labels))) as JobResult;
      return asked.labels
        ? { ...result, labels: clustersIn(await readFile(join(folder, "labels.csv"), "utf8")) }
        : result;
    } finally {
      asked.signal.removeEventListener("abort", processes.stop);
      processes.stop();
      line?.close();
    }
  });
}

/** The last column, without its name. */
function clustersIn(csv: string): number[] {
  return csv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => Number(line.slice(line.lastIndexOf(",") + 1)));
}
