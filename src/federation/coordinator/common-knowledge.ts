import { MoietyError } from "../../errors.js";

// Every party knows everybody's cluster: what follows from that alone all know alike, and any of them may say.

/** How many moved: all are asked, and must agree. */
export function countOf(answers: readonly { readonly meta: unknown }[]): number {
  const counts = answers.map(({ meta }) => meta);
  if (typeof counts[0] !== "number" || counts.some((count) => count !== counts[0])) throw broken("moves");
  return counts[0];
}

export function sizesOf(meta: unknown, k: number): number[] {
  if (!Array.isArray(meta) || meta.length !== k || !meta.every(Number.isInteger)) throw broken("sizes");
  return meta as number[];
}

export function labelsOf(body: Uint8Array, rows: number): Uint16Array {
  if (body.length !== rows * 2) throw broken("clusters");
  return new Uint16Array(body.slice().buffer);
}

/** Where a cluster could go; undefined where none should. */
export function vacatedOf(meta: unknown): { readonly cluster: number; readonly row: number } | undefined {
  const { cluster, row } = (meta ?? {}) as { cluster?: unknown; row?: unknown };
  if (!Number.isInteger(cluster) || !Number.isInteger(row)) return undefined;
  return { cluster: cluster as number, row: row as number };
}

function broken(what: string): MoietyError {
  return new MoietyError("failed", `the parties do not agree on ${what}: one of them runs another version`);
}
