import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Kit, kitFiles, memberOf, recognise } from "../identity/kit.js";
import { grpcDialling, grpcListening } from "./grpc.js";
import type { Dialling, Listening } from "./types.js";

/** The coordinator's port by its kit. The list of revoked certificates is read anew for every connection. */
export function listeningOf(
  kit: Kit,
  { host = "0.0.0.0", port = kit.coordinator.port, log = (_: string): void => undefined } = {},
): Listening {
  return grpcListening({
    ...kit,
    host,
    port,
    log,
    recognise: (fingerprint) => recognise(kit, fingerprint, revokedList(kit)),
  });
}

export function revokedList({ folder }: Pick<Kit, "folder">): string {
  try {
    return readFileSync(join(folder, kitFiles.revoked), "utf8");
  } catch {
    return "";
  }
}

/** Dials the coordinator that a kit names, and no other. */
export function diallingOf(kit: Kit): Dialling {
  const peer = { role: "coordinator", name: "coordinator" } as const;
  return grpcDialling({ ...kit, ...kit.coordinator, peer, pinned: memberOf(kit, peer).fingerprint });
}
