import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededBytes } from "../testing/seeded.js";
import { AuditLog, type AuditStorage, checkHead, readAudit } from "./log.js";

function signingKeys(seed: number) {
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const der = Buffer.concat([prefix, seededBytes(seed)(32)]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  return {
    publicKey: Buffer.from(x as string, "base64url"),
    sign: (statement: Uint8Array) => sign(null, statement, privateKey),
  };
}

class Lines implements AuditStorage {
  constructor(readonly kept: string[] = []) {}
  async append(line: string): Promise<void> {
    this.kept.push(line);
  }
  lines(): Iterable<string> {
    return this.kept;
  }
}

const clock = () => new Date(0);
const [bank, hospital] = [signingKeys(1), signingKeys(2)];

async function written(entries: number, keys = bank, site = "bank", story = "") {
  const storage = new Lines();
  const log = await AuditLog.open(site, keys, storage, clock);
  for (let at = 0; at < entries; at++) await log.note("job", { at, story });
  return { storage, log };
}

describe("the audit log", () => {
  it("is read back, and goes on after a restart", async () => {
    const { storage, log } = await written(3);
    const again = await AuditLog.open("bank", bank, storage, clock);
    expect(again.head).toEqual(log.head);
    await Promise.all([again.note("a", {}), again.note("b", {}), again.note("c", {})]);
    const { head, hashes } = await readAudit("bank", bank.publicKey, storage);
    expect(head).toEqual(again.head);
    expect(hashes.length).toBe(7);
  });

  it("shows every change, removal, insertion, exchange and foreign signature", async () => {
    const { storage } = await written(6);
    const foreign = await written(6, hospital);
    const read = (lines: string[]) => readAudit("bank", bank.publicKey, new Lines(lines));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(5),
        fc.nat(5),
        fc.nat(1000),
        fc.constantFrom(1, 2, 4, 8, 16, 32, 64),
        async (one, other, place, bit) => {
          const lines = [...storage.kept];
          const text = lines[one];
          const at = place % text.length;
          const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bit) + text.slice(at + 1);
          await expect(read(lines.with(one, changed))).rejects.toThrow(/entry \d/);
          const spaced = `${text.slice(0, at)} ${text.slice(at)}`;
          await expect(read(lines.with(one, spaced))).rejects.toThrow(/entry \d/);
          if (one < 5) await expect(read(lines.toSpliced(one, 1))).rejects.toThrow(/does not follow/);
          await expect(read(lines.toSpliced(one, 0, text))).rejects.toThrow(/does not follow/);
          if (one !== other) {
            await expect(read(lines.with(one, lines[other]))).rejects.toThrow(/does not follow/);
          }
          await expect(read(lines.with(5, foreign.storage.kept[5]))).rejects.toThrow(/entry 5/);
        },
      ),
      { numRuns: 80 },
    );
    await expect(readAudit("bank", hospital.publicKey, storage)).rejects.toThrow(/not signed by this site/);
    await expect(readAudit("other", bank.publicKey, storage)).rejects.toThrow(/entry 0/);
    await expect(read(["{"])).rejects.toThrow(/not readable/);
  });

  it("cannot be cut or written anew by its own site behind a head that others have seen", async () => {
    const { storage, log } = await written(4);
    const early = log.head;
    await log.note("job", { at: 4 });
    const other = await written(1, hospital, "hospital");
    await other.log.witness(early, bank.publicKey);
    await other.log.witness(log.head, bank.publicKey);
    const { witnessed } = await readAudit("hospital", hospital.publicKey, other.storage);
    expect(witnessed).toEqual([early, log.head]);

    const whole = await readAudit("bank", bank.publicKey, storage);
    for (const head of witnessed) checkHead(whole, head);
    const cut = await readAudit("bank", bank.publicKey, new Lines(storage.kept.slice(0, 4)));
    checkHead(cut, witnessed[0]);
    expect(() => checkHead(cut, witnessed[1])).toThrow(/was cut: it has 4 entries and once had 5/);
    const anew = await readAudit("bank", bank.publicKey, (await written(9, bank, "bank", "another")).storage);
    expect(() => checkHead(anew, witnessed[0])).toThrow(/written anew/);
    await expect(other.log.witness({ ...early, entries: 3 }, bank.publicKey)).rejects.toThrow(/not signed/);
  });
});
