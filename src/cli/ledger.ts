import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { LedgerFolder } from "../federation/ledger-store.js";
import type { Ledger } from "../privacy/accounting/ledger.js";
import { stateFolder } from "./kits.js";

export const ledgerOption = [
  "--ledger <folder>",
  "folder where spending is recorded (default: $MOIETY_LEDGER, else ~/.local/state/moiety/ledger)",
] as const;

export async function openStore(folder: string | undefined): Promise<LedgerFolder> {
  const { LedgerFolder, ledgerFolder } = await import("../federation/ledger-store.js");
  return new LedgerFolder(folder ?? ledgerFolder(process.env));
}

/** The book of a site of a federation, beside its state: private jobs are written down there. */
export async function siteLedger(
  kit: { readonly folder: string; readonly name: string },
  state?: string,
): Promise<Ledger> {
  return ledgerIn(await openStore(join(stateFolder(kit, state), "ledger")), kit.name);
}

/** The book of a dataset: of a file by its place on disk, whatever links lead there; else by the name itself. */
export async function openLedger(dataset: string, folder: string | undefined): Promise<Ledger> {
  const name = await realpath(dataset).catch(() => dataset);
  return ledgerIn(await openStore(folder), name);
}

async function ledgerIn(store: LedgerFolder, name: string): Promise<Ledger> {
  const { Ledger } = await import("../privacy/accounting/ledger.js");
  return new Ledger(store, name, () => new Date().toISOString());
}
