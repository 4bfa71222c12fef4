import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { generateTable, type Table } from "../../table/index.js";
import type { Kit } from "../identity/kit.js";
import { MemoryFederation } from "../testing/in-memory.js";
import { workplace } from "../testing/sites.js";
import { AuditFile } from "./audit-file.js";
import { askHeads, MemberAudit } from "./member-audit.js";
import { verifyLogs } from "./verify.js";

const folder = workplace();
const people = generateTable("people", { n: 150, seed: 2 });
const columnsOf = (...names: string[]): Table => ({
  rows: people.rows,
  columns: people.columns.filter(({ name }) => ["person", ...names].includes(name)),
});
const policy = `approval: automatic
analysts: [alice]
algorithms: [lloyd]
features: [age, income, balance]
ids: [person]
minimum: { clusterSize: 1 }`;
const federation = new MemoryFederation({
  a: { table: columnsOf("age", "income"), policy },
  b: { table: columnsOf("balance"), policy },
});
const job =
  "algorithm: lloyd\nk: 2\nid: person\nparties:\n  a: { features: [age, income] }\n  b: { features: [balance] }\n";
const members = ["coordinator", "a", "b"];
let kit: Kit;

beforeAll(async () => {
  await federation.start(join(folder, "kits"));
  kit = await federation.kit("alice");
  for (let run = 0; run < 2; run++) await federation.run(job);
  await expect(federation.run(job.replace("balance", "debts"))).rejects.toThrow(/may not be a feature/);
  // The last heads are exchanged after the analyst has heard of the end.
  await federation.until(() => entries("a").filter(({ kind }) => kind === "finished").length === 2);
  await federation.until(() => entries("coordinator").at(-1)?.kind === "head");
});

function entries(site: string): { kind: string; details: Record<string, unknown> }[] {
  return federation.audits.get(site)!.map((line) => JSON.parse(line).entry);
}

/** Everybody's log on disk, changed as somebody pleases. */
function logs(change: (lines: string[], site: string) => string[] = (lines) => lines) {
  const place = join(folder, `logs-${Math.floor(performance.now() * 1000)}`);
  mkdirSync(place);
  return members.map((site) => {
    const path = join(place, `${site}.log`);
    writeFileSync(path, `${change([...federation.audits.get(site)!], site).join("\n")}\n`);
    return { path };
  });
}

async function faults(places: readonly { path: string; site?: string }[]) {
  return (await verifyLogs(kit, places)).flatMap(({ faults }) => faults);
}

describe("everybody's log", () => {
  it("tells who saw and agreed to what, what left the site, and how it ended", async () => {
    const kinds = entries("a").map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== "head").slice(0, 5)).toEqual([
      ...["opened", "card seen", "consent", "joined", "begun"],
    ]);
    expect(kinds.filter((kind) => kind === "finished").length).toBe(2);
    expect(entries("b").some(({ kind, details }) => kind === "refused" && /debts/.test(`${details.reasons}`))).toBe(
      true,
    );
    const sent = entries("a").filter(({ kind }) => kind === "sent");
    expect(sent.length).toBeGreaterThan(5);
    for (const { details } of sent)
      expect(details).toMatchObject({ messages: expect.any(Number), bytes: expect.any(Number) });
    expect(entries("coordinator").map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["opened", "submitted", "consent", "begun", "finished", "failed", "head"]),
    );
  });

  it("is right, and everybody's is vouched for by the others", async () => {
    const verdicts = await verifyLogs(kit, logs());
    expect(verdicts.flatMap((each) => each.faults)).toEqual([]);
    for (const { site, vouchedBy } of verdicts) expect(new Set([...vouchedBy, site])).toEqual(new Set(members));
  });

  it.each(members)("is found when one line of that of %s is rewritten, whichever", async (site) => {
    const count = federation.audits.get(site)!.length;
    for (let at = 0; at < count; at++) {
      const changed = logs((lines, of) => {
        return of === site ? lines.with(at, lines[at].replace(/"time":"20/, '"time":"19')) : lines;
      });
      expect((await faults(changed)).join()).toMatch(new RegExp(`entry ${at} of the audit log of ${site} was changed`));
    }
  });

  it.each(members)(
    "is found when the end of that of %s is cut off, though what is left is right in itself",
    async (site) => {
      const seen = members
        .filter((other) => other !== site)
        .flatMap((other) => entries(other).filter(({ kind, details }) => kind === "head" && details.site === site));
      const longest = Math.max(...seen.map(({ details }) => Number(details.entries)));
      for (const left of [1, 3, longest - 1]) {
        const cut = logs((lines, of) => (of === site ? lines.slice(0, left) : lines));
        expect((await faults(cut)).join()).toMatch(
          new RegExp(`the audit log of ${site} was cut: it has ${left} entries`),
        );
        const alone = cut[members.indexOf(site)];
        expect(await faults([alone])).toEqual([]);
      }
    },
  );

  it("is found when its end is cut off by whoever asks the coordinator, without taking the site's handle", async () => {
    const heads = await askHeads(federation.network.dialling({ role: "party", name: "a" }));
    expect(new Set(heads.map(({ site }) => site))).toEqual(new Set(members));
    const [, a] = logs((lines, of) => (of === "a" ? lines.slice(0, 5) : lines));
    const [verdict] = await verifyLogs(kit, [a], heads);
    expect(verdict.faults.join()).toMatch(/the audit log of a was cut: it has 5 entries/);
    const [, whole] = logs();
    expect((await verifyLogs(kit, [whole], heads))[0]).toMatchObject({ faults: [], vouchedBy: ["coordinator"] });
    expect(federation.logs.join()).not.toMatch(/a is gone/);
  });

  it("is found when a site writes all of it anew with its own key", async () => {
    const anew: string[] = [];
    const storage = { append: async (line: string) => void anew.push(line), lines: () => anew };
    const forger = await MemberAudit.open(
      await federation.kit("b"),
      storage,
      () => 0,
      () => undefined,
    );
    for (let at = 0; at < 100; at++) await forger.note("nothing happened", { at });
    const forged = logs((lines, of) => (of === "b" ? anew : lines));
    expect((await faults(forged)).join()).toMatch(/the audit log of b was written anew/);
  });

  it("is found when two are swapped, or one is there twice", async () => {
    const [coordinator, a, b] = logs();
    expect(
      (
        await faults([
          { ...a, site: "b" },
          { ...b, site: "a" },
        ])
      ).join(),
    ).toMatch(/entry 0 of the audit log of b .*entry 0 of the audit log of a/);
    expect((await faults([coordinator, a, a])).join()).toMatch(/a second log of a/);
  });

  it("refuses what is no log of this federation", async () => {
    const odd = join(folder, "odd.log");
    writeFileSync(odd, "hello\n");
    await expect(verifyLogs(kit, [{ path: odd }])).rejects.toThrow(/is not an audit log/);
    await expect(verifyLogs(kit, [{ path: join(folder, "nowhere") }])).rejects.toThrow(/there is no such file/);
  });

  it("says loudly when a head goes back behind one that was seen", async () => {
    const said: string[] = [];
    const lines: string[] = [];
    const storage = { append: async (line: string) => void lines.push(line), lines: () => lines };
    const witness = await MemberAudit.open(
      await federation.kit("a"),
      storage,
      () => 0,
      (line) => said.push(line),
    );
    const heads = entries("coordinator").filter(({ kind, details }) => kind === "head" && details.site === "b");
    await witness.witness({ heads: [heads.at(-1)!.details] });
    expect(said).toEqual([]);
    await witness.witness({ heads: [heads[0].details] });
    expect(said.join()).toMatch(/the audit log of b was cut or written anew/);
    const forged = { ...heads[0].details, entries: 1000 };
    await expect(witness.witness({ heads: [forged] })).rejects.toThrow(/not signed by this site/);
  });
});

describe("a log on disk", () => {
  it("forgets a line that a crash has cut off, and goes on", async () => {
    const path = join(folder, "crash", "audit.log");
    const file = new AuditFile(path);
    const first = await MemberAudit.open(
      await federation.kit("a"),
      file,
      () => 0,
      () => undefined,
    );
    await first.note("begun", { job: "1" });
    writeFileSync(path, `${readFileSync(path, "utf8")}{"entry":{"ind`);
    await file.dropPartialLine();
    const again = await MemberAudit.open(
      await federation.kit("a"),
      file,
      () => 0,
      () => undefined,
    );
    await again.note("begun", { job: "2" });
    expect((await verifyLogs(kit, [{ path }]))[0]).toMatchObject({ entries: 3, faults: [] });
  });
});
