import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Ledger } from "../privacy/accounting/ledger.js";
import { concentrated, pure } from "../privacy/accounting/loss.js";
import { LedgerFolder, ledgerFolder } from "./ledger-store.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-ledger-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ledger = (name: string) => new Ledger(new LedgerFolder(folder), name, () => "2026-01-01T00:00:00Z");
const labels = { neighbours: "attribute", loss: pure(0.125), what: "labels" } as const;

/** A book of its own with one record in it. */
async function book(name: string) {
  const shelf = join(folder, `shelf-${name}`);
  const own = new Ledger(new LedgerFolder(shelf), name, () => "2026-01-01T00:00:00Z");
  await own.spend(labels);
  const place = join(shelf, readdirSync(shelf)[0]);
  return { place, file: join(place, "000000.record"), own };
}

/** A process of its own that spends again and again, and says so each time that it has. */
const spender = `
import { Ledger } from ${JSON.stringify(fileURLToPath(new URL("../../dist/privacy/accounting/ledger.js", import.meta.url)))};
import { LedgerFolder } from ${JSON.stringify(fileURLToPath(new URL("../../dist/federation/ledger-store.js", import.meta.url)))};
const ledger = new Ledger(new LedgerFolder(process.argv[1]), "killed", () => "now");
for (;;) {
  await ledger.spend({ neighbours: "attribute", loss: { epsilon: 0.125, pureRho: 0.0078125, rho: 0, slack: 0 }, what: "labels" });
  process.stdout.write("spent\\n");
}`;

describe("the ledger on disk", () => {
  it("comes back whole", async () => {
    await ledger("first").setBudget({ epsilon: 4, delta: 1e-5 });
    await ledger("first").spend(labels);
    await ledger("first").spend({ neighbours: "person", loss: concentrated(0.05), what: "model" });
    const { budget, releases, spent } = await ledger("first").standing();
    expect(budget).toEqual({ epsilon: 4, delta: 1e-5 });
    expect(releases.map(({ what }) => what)).toEqual(["labels", "model"]);
    expect(spent.person.rho).toBe(0.05);
    expect(await new LedgerFolder(folder).datasets()).toContain("first");
    expect((await ledger("other").standing()).releases).toEqual([]);
  });

  it("lets many spend at once without giving out more than there is", async () => {
    await ledger("shared").setBudget({ epsilon: 1, delta: 0 });
    const results = await Promise.allSettled(Array.from({ length: 24 }, () => ledger("shared").spend(labels)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    for (const result of results) if (result.status === "rejected") expect(result.reason.code).toBe("infeasible");
  });

  it("forgets nothing that was said to be spent when the process is killed", async () => {
    for (let round = 0; round < 4; round++) {
      const before = (await ledger("killed").standing()).releases.length;
      const child = spawn(process.execPath, ["--input-type=module", "-e", spender, folder]);
      let said = 0;
      const gone = new Promise((resolve) => child.once("close", resolve));
      child.stdout.on("data", (text: Buffer) => {
        said += text.toString().split("\n").length - 1;
        if (said > 5 + 7 * round) child.kill("SIGKILL");
      });
      await gone;
      expect(said).toBeGreaterThan(0);
      const { releases, spent } = await ledger("killed").standing();
      expect(releases.length - before).toBeGreaterThanOrEqual(said);
      expect(spent.attribute.epsilon).toBe(releases.length * 0.125);
    }
  });

  it("refuses a damaged book rather than starting a new one: any byte changed, any end cut off", async () => {
    const { place, file, own } = await book("damaged");
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at++) {
      for (const damage of [whole.subarray(0, at), whole.with(at, whole[at] ^ 1)]) {
        writeFileSync(file, damage);
        await expect(own.standing()).rejects.toMatchObject({
          code: "failed",
          message: `the ledger's record ${file} is damaged: restore it from a backup`,
        });
      }
    }
    await expect(own.spend(labels)).rejects.toThrow(/damaged/);
    writeFileSync(file, whole);
    expect((await own.standing()).releases).toHaveLength(1);
    writeFileSync(join(place, "dataset"), "another");
    await expect(new LedgerFolder(dirname(place)).datasets()).rejects.toThrow(/dataset is damaged/);
  });

  it("goes on with a book of an earlier version, whose records have no digest", async () => {
    const { place, file, own } = await book("old");
    writeFileSync(join(place, "000000.json"), JSON.stringify({ kind: "release", time: "then", ...labels }));
    rmSync(file);
    await own.spend(labels);
    expect(readdirSync(place).sort()).toEqual(["000000.json", "000001.record", "dataset"]);
    expect((await own.standing()).releases.map(({ time }) => time)).toEqual(["then", "2026-01-01T00:00:00Z"]);
  });

  it("lies where the environment says", () => {
    expect(ledgerFolder({ MOIETY_LEDGER: "/somewhere" })).toBe("/somewhere");
    expect(ledgerFolder({ XDG_STATE_HOME: "/state" })).toBe("/state/moiety/ledger");
    expect(ledgerFolder({})).toMatch(/\.local\/state\/moiety\/ledger$/);
  });
});
