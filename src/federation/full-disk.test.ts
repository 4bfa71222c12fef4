import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { JobView } from "./coordinator/job.js";
import { FaultyStore, secretPlace } from "./testing/faulty-store.js";
import { MemoryFederation } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";
import { invented } from "./testing/tables.js";

const folder = workplace();
const n = 60;
const policy = `approval: automatic
analysts: [alice]
algorithms: [lloyd, f3km]
features: [x, y, z]
protection: masked
labels: [parties, analyst]
minimum: { rows: 10, clusterSize: 1, group: 1 }
budget: { jobs: 1000 }
`;
const columns = `algorithm: lloyd\nk: 3\nprotection: masked\nlabels: [parties, analyst]\nparties:\n  a: { features: [x] }\n  b: { features: [y] }\n`;
const rows = `algorithm: f3km\nsplit: rows\nk: 3\nminCount: 1\nmaxIterations: 3\nlabels: [parties]\ngroups: {}\nparties:\n  a: { features: [x, y] }\n  b: { features: [x, y] }\n  c: { features: [x, y] }\n`;

const stores = new Map(["coordinator", "a", "b", "c"].map((name) => [name, new FaultyStore()]));
const table = invented(n, {
  x: (row) => (row % 3) * 9 + Math.sin(row),
  y: (row) => (row % 5) * 4,
  z: (row) => row % 7,
});
const federation = new MemoryFederation(Object.fromEntries(["a", "b", "c"].map((name) => [name, { table, policy }])));

beforeAll(async () => {
  for (const [name, store] of stores) federation.stores.set(name, store);
  await federation.start(join(folder, "kits"));
});

/** Looks at a job until it is over. */
async function followed(job: string, onView: (view: JobView) => void): Promise<JobView> {
  return federation.asAnalyst(async (client) => {
    const id = await client.submit(job, "job.yaml", randomBytes);
    for (;;) {
      const view = await client.show(id);
      if (view.state === "failed" || view.state === "done") return view;
      onView(view);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
}

describe.each([
  ["columns", columns],
  ["rows", rows],
])("a full disk, with %s split,", (_, job) => {
  it.each(["a", "coordinator"])(
    "of %s pauses the job, says where, and lets it go on when there is room",
    async (site) => {
      const store = stores.get(site)!;
      const where = site === "a" ? "a: disk full" : "disk full at the coordinator";
      // Wherever in the life of a job it happens.
      for (const at of [1, 3, 8]) {
        const begun = store.writes;
        let seen = false;
        store.fault = (key, write) => (/^(jobs|room)/.test(key) && write - begun >= at && !seen ? "ENOSPC" : undefined);
        const logged = federation.logs.length;
        const outcome = await followed(job, ({ state, reason }) => {
          if (!reason?.includes("disk full")) return;
          expect(state).toMatch(/^(paused|waiting-for-a)$/);
          expect(reason).toBe(where);
          seen = true;
        }).catch((error: Error) => error);
        if (outcome instanceof Error) {
          // Not taken at all: the analyst knows, and there is no such job.
          expect(outcome.message).toBe("coordinator: disk full");
          continue;
        }
        expect(outcome).toMatchObject({ state: "done", reason: null });
        if (store.writes - begun > at) expect(seen).toBe(true);
        const said = federation.logs.slice(logged);
        const own = said.filter((line) => line.includes(secretPlace));
        // The full path is for whoever can put it right.
        expect(own.length).toBeGreaterThan(0);
        expect(own.every((line) => line.startsWith(`${site}: `))).toBe(true);
      }
      store.fault = () => undefined;
      const [audits] = [federation.audits.get("coordinator")!.join("\n")];
      expect(audits).not.toContain(secretPlace);
    },
  );
});

describe("a failing disk", () => {
  it("takes nobody's result away", async () => {
    const store = stores.get("b")!;
    const free = await federation.run(columns);
    let faults = 0;
    store.fault = (key) => (key.startsWith("jobs/") && ++faults % 3 === 0 && faults < 30 ? "EIO" : undefined);
    const { labels } = await federation.run(columns);
    expect(labels).toEqual(free.labels);
    expect(faults).toBeGreaterThan(3);
    store.fault = () => undefined;
  });
});
