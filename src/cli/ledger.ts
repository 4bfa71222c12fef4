import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { LedgerFolder, ledgerFolder } from "../federation/ledger-store.js";
import { Ledger } from "../privacy/accounting/ledger.js";
import { stateFolder } from "./kits.js";

export const ledgerOption = [
  "--ledger <folder>",
  "where spending is written down (default: $MOIETY_LEDGER, else ~/.local/state/moiety/ledger)",
] as const;

export function openStore(folder: string | undefined): LedgerFolder {
  return new LedgerFolder(folder ?? ledgerFolder(process.env));
}

/** The book of a site of a federation, beside its state: private jobs are written down there. */
export function siteLedger(kit: { readonly folder: string; readonly name: string }, state?: string): Ledger {
  const store = new LedgerFolder(join(stateFolder(kit, state), "ledger"));
  return new Ledger(store, kit.name, () => new Date().toISOString());
}

/** The book of a dataset: of a file by its place on disk, whatever links lead there; else by the name itself. */
export async function openLedger(dataset: string, folder: string | undefined): Promise<Ledger> {
  const name = await realpath(dataset).catch(() => dataset);
  return new Ledger(openStore(folder), name, () => new Date().toISOString());
}
