import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Kit, loadKit } from "../identity/kit.js";
import { parseFederation, provision } from "../provision.js";

/** A folder of its own for one file of tests. */
export function workplace(): string {
  const folder = mkdtempSync(join(tmpdir(), "moiety-federation-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Kits of a coordinator, some parties and analysts (alice), in folders of their names. */
export async function provisioned(
  folder: string,
  parties: readonly string[],
  { port = 7443, now = new Date(), days = 30, analysts = ["alice"] } = {},
): Promise<(name: string) => Promise<Kit>> {
  const text = `coordinator: { host: 127.0.0.1, port: ${port} }
parties: [${parties.join(", ")}]
analysts: [${analysts.join(", ")}]
days: ${days}`;
  await provision(parseFederation(text, "federation.yaml"), folder, now);
  return (name) => loadKit(join(folder, name));
}
