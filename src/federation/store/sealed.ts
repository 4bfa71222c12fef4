import { createHash } from "node:crypto";

const head = /^moiety 1 sha256 ([0-9a-f]{64}) bytes (\d{1,15})\n/;
const longestHead = 110;

/** A value as it is on disk: after one line with the digest of its name and itself. */
export function seal(name: string, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`moiety 1 sha256 ${digestOf(name, value)} bytes ${value.length}\n`), value]);
}

/** The value, with whatever was added after it; undefined when any byte of it was changed or is missing. */
export function unseal(name: string, bytes: Uint8Array): Uint8Array | undefined {
  const [line, digest, length] = head.exec(Buffer.from(bytes.subarray(0, longestHead)).toString("latin1")) ?? [];
  if (line === undefined) return undefined;
  const rest = bytes.subarray(line.length);
  const value = rest.subarray(0, Number(length));
  return value.length === Number(length) && digestOf(name, value) === digest ? rest : undefined;
}

/** Of the name too: a value under another one's name is damaged as well. */
function digestOf(name: string, value: Uint8Array): string {
  return createHash("sha256").update(`${name}\n`).update(value).digest("hex");
}
