import { beforeAll, describe, expect, it } from "vitest";
import { readTable } from "../table/disk/index.js";
import { preparePeople } from "../table/index.js";
import { cardOf } from "./consent/card.js";
import { LocalFederation } from "./testing/federation.js";
import { inOneProcess } from "./testing/private-cells.js";

const federation = new LocalFederation();
const sites = ["bank-a", "bank-b", "hospital"];
const policy = (more: string) => `approval: automatic
analysts: [alice]
algorithms: [dp-fair]
ids: [person]
idsTo: [analyst]
features: [age, income, balance, debts, visits, hours]
protect: [sex]
labels: [parties, analyst]
minimum: { clusterSize: 5 }
${more}`;
const job = (more: string) => `algorithm: dp-fair
k: 3
components: 8
maxIterations: 3
id: person
labels: [parties, analyst]
groups: { sex: [F, M, X] }
${more}
parties:
  bank-a: { features: [age, income], protect: [sex] }
  bank-b: { features: [balance, debts] }
  hospital: { features: [visits, hours] }
`;

beforeAll(async () => {
  await federation.work.run("generate", "people", "--n", "300", "--seed", "5", "-o", "all.csv");
  const cells = policy("cells: true\n");
  await federation.prepare(federation.work.read("all.csv"), { "bank-a": cells, "bank-b": cells, hospital: cells });
  federation.startAll();
  await federation.until("coordinator", /is here.*is here.*is here/s);
});

/** Everybody's cluster, by id. */
const byId = (csv: string) =>
  new Map(
    csv
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",") as [string, string]),
  );

describe("private clusters of columns that separate processes hold", () => {
  it("are those of one process, where there is no noise", async () => {
    const request = job("epsilon: inf");
    const id = await federation.submit(request);
    expect((await federation.job("watch", id)).stderr).toMatch(/done/);
    const submission = { federation: "local", analyst: "alice", nonce: "0".repeat(32) };
    const table = await readTable(federation.work.path("people.csv"));
    const features = ["age", "income", "balance", "debts", "visits", "hours"];
    const people = preparePeople(table, { features, protect: ["sex"], id: "person" });
    const labels = await inOneProcess(cardOf(request, "job.yaml", submission), people);
    const alone = new Map(people.ids!.values.map((name, at) => [name, `${labels[at]}`]));
    for (const site of sites) expect(byId(federation.labels(site, id))).toEqual(alone);
  });

  it("cost only the holder of the groups something, once, also after kill -9; and then the budget is spent", async () => {
    federation.work.write("bank-a.yaml", policy("cells: true\nbudget: { epsilon: 3 }\n"));
    const id = await federation.submit(job("epsilon: 2"));
    await federation.until("bank-a", new RegExp(`job ${id}: running`));
    const after = federation.log("coordinator").length;
    await federation.kill("bank-a");
    await federation.until("coordinator", /paused: .*bank-a|: done/, { after });
    federation.start("bank-a");
    expect((await federation.job("watch", id)).stderr).toMatch(/done/);
    const first = byId(federation.labels("bank-a", id));
    for (const site of sites) expect(byId(federation.labels(site, id))).toEqual(first);
    const text = await federation.job("result", id, "--report", "report.html");
    expect(text.stdout).toMatch(/Private \(epsilon 2\)/);
    expect(federation.work.read("report.html")).toMatch(/Least balance by the noisy counts.*epsilon 2/s);
    const { code, stdout } = await federation.job("result", id, "--json");
    expect(code).toBe(0);
    const { privacy, groups, bounds, balance, fair, sites: journals } = JSON.parse(stdout);
    // No true share, and no verdict that true shares would have led to.
    expect({ groups, bounds, balance, fair }).toEqual({ groups: {}, bounds: {}, balance: [], fair: null });
    expect(privacy).toMatchObject({ mode: "attribute", epsilon: 2, delta: 0, colluders: 2, cells: 8 });
    expect(Object.keys(privacy.released.groups.sex)).toEqual(["F", "M", "X"]);
    const kinds = (site: string) => journals[site].map(({ kind }: { kind: string }) => kind).join("; ");
    expect(kinds("bank-a")).toMatch(/people of each group in cells, with noise/);
    expect(kinds("bank-b")).toMatch(/zeros, where others count groups/);
    const { stderr } = await federation.job("submit", "job.yaml", "--wait");
    // Spent once: 1 of 3 is left.
    expect(stderr).toMatch(/failed: bank-a: the privacy budget of bank-a .* epsilon 1 is left/);
  });

  it("are refused by a site that has not allowed cells, in one line", async () => {
    federation.work.write("hospital.yaml", policy(""));
    federation.work.write("job.yaml", job("epsilon: 0.5"));
    const { code, stderr } = await federation.job("submit", "job.yaml", "--wait");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/hospital.*add 'cells: true' to the policy/);
  });

  it("are private from all who see the model alone, at a cost to every site, once, also after kill -9", async () => {
    const alone = policy("cells: true\nbudget: { epsilon: 50 }\n").replace("clusterSize: 5", "clusterSize: 1");
    for (const site of sites) federation.work.write(`${site}.yaml`, alone);
    const box =
      "box: { age: [15, 95], income: [0, 150000], balance: [-50000, 250000], debts: [0, 200000], visits: [0, 40], hours: [0, 80] }";
    const request = job(`private: all\n${box}\nepsilon: 40`)
      .replace("[parties, analyst]", "[parties]")
      .replace("maxIterations: 3\n", "");
    const id = await federation.submit(request);
    await federation.until("hospital", new RegExp(`job ${id}: running`));
    const after = federation.log("coordinator").length;
    await federation.kill("hospital");
    await federation.until("coordinator", /paused: .*hospital|: done/, { after });
    federation.start("hospital");
    expect((await federation.job("watch", id)).stderr).toMatch(/done/);
    const first = byId(federation.labels("bank-a", id));
    expect(first.size).toBeGreaterThan(200);
    for (const site of sites) expect(byId(federation.labels(site, id))).toEqual(first);
    const text = await federation.job("result", id, "--report", "report.html");
    expect(text.stdout).toMatch(
      /Private \(epsilon 40, delta 0.00001\): to those who see the model and the noisy counts alone/,
    );
    const { code, stdout } = await federation.job("result", id, "--json");
    expect(code).toBe(0);
    const { privacy, groups, balance, fair, sse, sizes, sites: journals } = JSON.parse(stdout);
    expect({ groups, balance, fair, sse }).toEqual({ groups: {}, balance: [], fair: null, sse: null });
    expect(sizes).toEqual(privacy.released.sizes.map(Math.round));
    expect(privacy.model.centres).toHaveLength(6 * privacy.cells);
    for (const site of sites) {
      const kinds = journals[site].map(({ kind }: { kind: string }) => kind).join("; ");
      expect(kinds).toMatch(/sums of people in cells, with noise/);
    }
    const { stderr } = await federation.job("submit", "job.yaml", "--wait");
    // Each site has spent it once; one more is too much for all of them.
    expect(stderr).toMatch(/failed: .*the privacy budget of .* is left/);
  });
});
