import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Table } from "../table/index.js";
import { type AgreedJob, HostileCoordinator } from "./testing/hostile.js";
import { workplace } from "./testing/sites.js";

const names = ["a", "b", "c", "d"];
const n = 40;
const tableOf = (at: number): Table => ({
  rows: n,
  columns: [
    {
      kind: "numeric",
      name: "x",
      values: Float64Array.from({ length: n }, (_, row) => Math.sin(row * (at + 1)) * 10),
      missing: 0,
      notFinite: 0,
    },
    {
      kind: "text",
      name: "sex",
      levels: ["F", "M"],
      codes: Int32Array.from({ length: n }, (_, row) => row % 2),
      missing: 0,
    },
  ],
});
const policy = `approval: automatic
analysts: [alice]
algorithms: [fkm-plus]
features: [x]
protect: [sex]
minimum: { rows: 10, clusterSize: 1, parties: 3, group: 1 }
`;
const coordinator = new HostileCoordinator(Object.fromEntries(names.map((name, at) => [name, tableOf(at)])), policy);
const folder = workplace();
beforeAll(() => coordinator.open(join(folder, "kits")));
beforeEach(() => coordinator.startAnew());

const request = `algorithm: fkm-plus\nsplit: rows\nk: 2\nquorum: 3\nminCount: 1\ngroups: { sex: [F, M] }\nparties:\n${names
  .map((name) => `  ${name}: { features: [x], protect: [sex] }`)
  .join("\n")}\n`;

type Letters = Record<string, Record<string, string>>;

/** All sites begin a life, and announce its first round. Returns their letters by sender. */
async function begun(job: AgreedJob, epoch: number): Promise<Letters> {
  const { hash, consents } = job;
  await coordinator.enter(job, epoch);
  const letters: Letters = {};
  for (const handle of coordinator.handles) {
    await handle.ask("begin", { job: hash, epoch, consents, position: null });
    const { meta } = await handle.ask("announce", { job: hash, epoch, round: 0 });
    letters[handle.name] = (meta as { letters: Record<string, string> }).letters;
  }
  return letters;
}

/** A site is asked for its part of the first sum, with these letters of the others. */
function census({ hash: job }: AgreedJob, epoch: number, name: string, letters: Letters) {
  const inbox = Object.entries(letters).filter(([from]) => from !== name);
  const meta = {
    ...{ job, epoch, steps: [{ step: 1, question: { ask: "question", name: "kinds", request: { combinations: 2 } } }] },
    letters: Object.fromEntries(inbox.map(([from, { [name]: letter }]) => [from, letter])),
  };
  return coordinator.handle(name).ask("batch", meta);
}

const vouch = async ({ hash: job }: AgreedJob, epoch: number, name: string, survivors: readonly string[]) => {
  const { meta } = await coordinator.handle(name).ask("vouch", { job, epoch, round: 0, survivors });
  return (meta as { signature: string }).signature;
};

const disclose = (
  { hash: job }: AgreedJob,
  epoch: number,
  name: string,
  survivors: readonly string[],
  vouchers: Record<string, string>,
) => coordinator.handle(name).ask("disclose", { job, epoch, round: 0, survivors, vouchers, next: 1 });

describe("what a site says once in a round", () => {
  it("it does not say again after a restart: the round is over with the process", async () => {
    const job = await coordinator.agreed(request);
    const letters = await begun(job, 0);
    for (const name of names) await census(job, 0, name, letters);
    await vouch(job, 0, "a", names);
    await expect(vouch(job, 0, "a", ["a", "b", "c"])).rejects.toThrow(/another list of survivors was signed/);
    await coordinator.start("a");
    await expect(vouch(job, 0, "a", ["a", "b", "c"])).rejects.toThrow(/no such run is going on here/);
    await expect(disclose(job, 0, "a", ["a", "b", "c"], {})).rejects.toThrow(/no such run is going on here/);
    await expect(begun(job, 0)).rejects.toThrow(/epoch 0 of this job cannot begin/);
    // Nor does it open a share of that round in the next life.
    await begun(job, 1);
    await expect(census(job, 1, "a", letters)).rejects.toThrow(/not meant for here/);
  });

  it("nobody takes for another life's, though all sites have forgotten the one before", async () => {
    const job = await coordinator.agreed(request);
    const before = await coordinator.backups();
    const letters = await begun(job, 0);
    for (const name of names) await census(job, 0, name, letters);
    const three = ["a", "b", "c"];
    const vouchers: Record<string, string> = {};
    for (const name of three) vouchers[name] = await vouch(job, 0, name, three);
    for (const name of names) await coordinator.start(name, before.get(name)!);
    const again = await begun(job, 0);
    await expect(census(job, 0, "a", letters)).rejects.toThrow(/not meant for here/);
    for (const name of names) await census(job, 0, name, again);
    const own: Record<string, string> = { ...vouchers, a: await vouch(job, 0, "a", three) };
    await expect(disclose(job, 0, "a", three, own)).rejects.toThrow(/the signature of party 'b'/);
    for (const name of ["b", "c"]) own[name] = await vouch(job, 0, name, three);
    expect((await disclose(job, 0, "a", three, own)).meta).toMatchObject({ opened: expect.anything() });
  });
});
