import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileStore } from "../store/files.js";
import { workplace } from "../testing/sites.js";
import { Tombstones } from "./tombstones.js";

const folder = workplace();
const job = "ab".repeat(32);
const card = { nonce: "0".repeat(32) };

describe("a tombstone", () => {
  const place = () => {
    const at = mkdtempSync(join(folder, "state-"));
    const store = new FileStore(at);
    return { store, tombstones: new Tombstones(store), file: (end: string) => join(at, "jobs", job, `over${end}`) };
  };

  it("stands however it is damaged", async () => {
    const { tombstones, file } = place();
    await expect(tombstones.refuse(job)).resolves.toBeUndefined();
    await tombstones.put(job, card, "done", "now");
    const whole = readFileSync(file(".now"));
    expect(whole.length).toBeLessThan(500);
    for (const damage of [whole, whole.subarray(0, 60), whole.subarray(0, 0), whole.with(whole.length - 3, 0)]) {
      writeFileSync(file(".now"), damage);
      await expect(tombstones.refuse(job)).rejects.toThrow(/^job abababababab is over here and is never begun again/);
    }
  });

  it("of an earlier version, without a digest, stands too", async () => {
    const { store, tombstones, file } = place();
    await store.write(`jobs/${job}/consent`, new Uint8Array(0));
    for (const old of ['"failed"', "", "{"]) {
      writeFileSync(file(""), old);
      await expect(tombstones.refuse(job)).rejects.toThrow(/is over here/);
    }
  });

  it.skipIf(process.getuid?.() === 0)("that cannot be read lets nothing begin", async () => {
    const { tombstones, file } = place();
    await tombstones.put(job, card, "done", "now");
    chmodSync(file(".now"), 0);
    await expect(tombstones.refuse(job)).rejects.toThrow(/cannot read/);
  });
});
