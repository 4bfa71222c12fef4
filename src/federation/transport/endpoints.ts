import { readFileSync } from "node:fs";
import { join } from "node:path";
import { certificatesOf, type Kit, kitFiles, memberOf, recognise } from "../identity/kit.js";
import type { Log } from "../log.js";
import { grpcDialling, grpcListening } from "./grpc.js";
import type { Dialling, Listening } from "./types.js";

/** The coordinator's port by its kit. The lists of members and of revoked certificates are read anew for every connection. */
export function listeningOf(
  kit: Kit,
  { host = "0.0.0.0", port = kit.coordinator.port, log = (() => undefined) as Log } = {},
): Listening {
  return grpcListening({
    ...kit,
    host,
    port,
    log,
    recognise: (fingerprint) => {
      readMembers(kit, log);
      return recognise(kit, fingerprint, revokedList(kit));
    },
  });
}

/** Takes the list of members that an operator has put into the kit's folder, where it is newer. */
export function readMembers({ folder, roster }: Pick<Kit, "folder" | "roster">, log: Log): void {
  try {
    if (roster.take(textIn(folder, kitFiles.members))) log(`list ${roster.number} of members is in force`);
  } catch (error) {
    log(`${kitFiles.members} is not used: ${(error as Error).message}`, "warning");
  }
}

export function revokedList({ folder }: Pick<Kit, "folder">): string {
  return textIn(folder, kitFiles.revoked);
}

/** Empty where there is no such file. */
function textIn(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch {
    return "";
  }
}

/** Dials the coordinator that a kit names, and no other. */
export function diallingOf(kit: Kit): Dialling {
  const peer = { role: "coordinator", name: "coordinator" } as const;
  return grpcDialling({ ...kit, ...kit.coordinator, peer, pinned: () => certificatesOf(memberOf(kit, peer)) });
}
