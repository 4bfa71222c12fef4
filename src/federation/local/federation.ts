import type { ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { methodFor } from "../../algorithms/catalogue.js";
import type { Processes } from "./processes.js";

/** An institution: what it holds, in which file, and what of it may be used. */
export interface LocalSite {
  readonly name: string;
  readonly file: string;
  readonly features: readonly string[];
  readonly protect: readonly string[];
}

export const analyst = "alice";

/**
 * All files of a federation on this machine, and of one fair clustering of its analyst: `request` is what is asked for, `policy`
 * what every site allows beside it.
 */
export async function writeFederation(
  folder: string,
  sites: readonly LocalSite[],
  {
    request,
    policy = "",
    approval = "automatic",
    port,
  }: {
    readonly request: string;
    readonly policy?: string;
    readonly approval?: "automatic" | "manual";
    /** Where sites and analyst look for the coordinator; default: a free port. */
    readonly port?: number;
  },
): Promise<void> {
  const names = sites.map(({ name }) => name).join(", ");
  const algorithm = methodFor("groups").name;
  const reached = port ?? (await freePort());
  await writeFile(
    join(folder, "federation.yaml"),
    `name: local\ncoordinator: { host: 127.0.0.1, port: ${reached} }\nparties: [${names}]\nanalysts: [${analyst}]\n`,
  );
  const parts = sites.map(({ name, features, protect }) => {
    return `  ${name}: { features: [${features.join(", ")}], protect: [${protect.join(", ")}] }\n`;
  });
  for (const { name, features, protect } of sites) {
    await writeFile(
      join(folder, `${name}.yaml`),
      `approval: ${approval}\nanalysts: [${analyst}]\nalgorithms: [${algorithm}]\nfeatures: [${features.join(", ")}]\nprotect: [${protect.join(", ")}]\nids: [person]\n${policy}`,
    );
  }
  await writeFile(join(folder, "job.yaml"), `algorithm: ${algorithm}\n${request}\nparties:\n${parts.join("")}`);
}

/** A page that a process serves. */
interface ServedPage {
  readonly whose: string;
  readonly address: string;
  readonly pid: number;
}

interface StartedFederation {
  readonly coordinator: ChildProcess;
  /** Those of the parties. */
  readonly parties: readonly ChildProcess[];
  readonly pages: readonly ServedPage[];
}

/** Parties that are started at the same time: of many more each would only take longer, and so would all else on the machine. */
const startingAtOnce = 8;

/** Every member as a process of its own, with its kit, all connected; with their pages, and the analyst's, where that is asked for. */
export async function startFederation(
  processes: Processes,
  sites: readonly LocalSite[],
  {
    pages = false,
    port,
  }: {
    readonly pages?: boolean /** Where the coordinator listens, if not where the kits say. */;
    readonly port?: number;
  } = {},
): Promise<StartedFederation> {
  await processes.finished(processes.start("provision", "federation.yaml", "-o", "kits"));
  const page = pages ? ["--page", "127.0.0.1:0"] : [];
  const listens = port === undefined ? [] : ["--port", `${port}`];
  const coordinator = processes.start(
    "coordinator",
    "--kit",
    "kits/coordinator",
    "--host",
    "127.0.0.1",
    ...listens,
    ...page,
  );
  const parties: ChildProcess[] = [];
  for (let from = 0; from < sites.length; from += startingAtOnce) {
    const next = sites
      .slice(from, from + startingAtOnce)
      .map(({ name, file }) =>
        processes.start(
          ...["party", "--kit", `kits/${name}`, "--data", file, "--policy", `${name}.yaml`, "--threads", "1"],
          ...(pages ? [...page, "--publish-policy"] : []),
        ),
      );
    await processes.said(coordinator, /listening/);
    await Promise.all(next.map((party) => processes.said(party, /connected/)));
    parties.push(...next);
  }
  if (!pages) return { coordinator, parties, pages: [] };
  const writing = processes.start("job", "page", "--kit", `kits/${analyst}`, "--draft", "job.yaml", "--no-open");
  const serving = [
    ["coordinator", coordinator] as const,
    ...sites.map(({ name }, at) => [name, parties[at]] as const),
    [analyst, writing] as const,
  ];
  const served = serving.map(async ([whose, child]): Promise<ServedPage> => {
    return { whose, address: await processes.said(child, /(http:\/\/127\.0\.0\.1:\S+)/), pid: child.pid! };
  });
  return { coordinator, parties, pages: await Promise.all(served) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
