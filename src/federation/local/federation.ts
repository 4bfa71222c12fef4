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
  { request, policy = "" }: { readonly request: string; readonly policy?: string },
): Promise<void> {
  const names = sites.map(({ name }) => name).join(", ");
  const algorithm = methodFor("groups").name;
  const port = await freePort();
  await writeFile(
    join(folder, "federation.yaml"),
    `name: local\ncoordinator: { host: 127.0.0.1, port: ${port} }\nparties: [${names}]\nanalysts: [${analyst}]\n`,
  );
  const parts = sites.map(({ name, features, protect }) => {
    return `  ${name}: { features: [${features.join(", ")}], protect: [${protect.join(", ")}] }\n`;
  });
  for (const { name, features, protect } of sites) {
    await writeFile(
      join(folder, `${name}.yaml`),
      `approval: automatic\nanalysts: [${analyst}]\nalgorithms: [${algorithm}]\nfeatures: [${features.join(", ")}]\nprotect: [${protect.join(", ")}]\nids: [person]\n${policy}`,
    );
  }
  await writeFile(join(folder, "job.yaml"), `algorithm: ${algorithm}\n${request}\nparties:\n${parts.join("")}`);
}

/** Every member as a process of its own, with its kit, all connected. Returns those of the parties. */
export async function startFederation(processes: Processes, sites: readonly LocalSite[]): Promise<ChildProcess[]> {
  await processes.finished(processes.start("provision", "federation.yaml", "-o", "kits"));
  const coordinator = processes.start("coordinator", "--kit", "kits/coordinator", "--host", "127.0.0.1");
  const parties = sites.map(({ name, file }) =>
    processes.start("party", "--kit", `kits/${name}`, "--data", file, "--policy", `${name}.yaml`, "--threads", "1"),
  );
  await processes.said(coordinator, /listening/);
  await Promise.all(parties.map((party) => processes.said(party, /connected/)));
  return parties;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
