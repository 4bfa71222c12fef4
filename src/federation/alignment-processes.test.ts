import { beforeAll, expect, it } from "vitest";
import { LocalFederation } from "./testing/federation.js";

const federation = new LocalFederation();
const parties = ["bank-a", "bank-b", "hospital"];
const alignment = `algorithm: align
id: person
parties: { bank-a: {}, bank-b: {}, hospital: {} }
`;
const job = `algorithm: lloyd
k: 3
id: person
parties:
  bank-a: { features: [age, income] }
  bank-b: { features: [balance, debts] }
  hospital: { features: [visits, hours] }
`;

beforeAll(async () => {
  await federation.work.run("generate", "people", "--n", "300", "--seed", "5", "-o", "all.csv");
  const policy = `approval: automatic
analysts: [alice]
algorithms: [lloyd, align]
ids: [person]
idsTo: [analyst]
features: [age, income, balance, debts, visits, hours]
minimum: { clusterSize: 1 }
`;
  const policies = Object.fromEntries(parties.map((party) => [party, policy]));
  // So many strangers that an alignment lasts a while.
  await federation.prepare(federation.work.read("all.csv"), policies, 4000);
  federation.startAll();
  await federation.until("coordinator", /is here.*is here.*is here/s);
});

it("kill -9 of anybody in the middle of an alignment changes nothing", async () => {
  const id = await federation.submit(alignment);
  const watched = federation.job("watch", id);
  for (const name of ["bank-b", "coordinator", "hospital"]) {
    const after = federation.log("coordinator").length;
    await federation.until("coordinator", /aligning \d+ ids/, { after: 0 });
    await federation.until("coordinator", /aligning \d+ ids/, { after: name === "bank-b" ? 0 : after });
    await federation.kill(name);
    if (name !== "coordinator") await federation.until("coordinator", new RegExp(`paused: .*${name}`), { after });
    federation.start(name);
  }
  // The analyst's line went with the coordinator.
  expect((await watched).code).toBe(1);
  const { code, stderr } = await federation.job("watch", id);
  expect(stderr).toMatch(/aligning ids, \d+%/);
  expect(code).toBe(0);
  const sources = parties.map((party) => `${party}.csv`);
  await federation.work.run("align", ...sources, "--id", "person", "-o", "common.csv");
  const expected = federation.work.read("common.csv");
  expect(expected.trim().split("\n")).toHaveLength(301);
  for (const party of parties) {
    const results = `kits/${party}/results/${id}`;
    expect(federation.work.read(`${results}/common.csv`)).toBe(expected);
    expect(JSON.parse(federation.work.read(`${results}/summary.json`)).alignment).toEqual({
      ids: 4300,
      duplicates: 0,
      common: 300,
    });
  }
  const report = await federation.job("result", id, "--report", "page.html");
  expect(report.stdout).toMatch(/All sites hold the 'person' of 300 people.*Each site has their ids/);
  expect(federation.work.read("page.html")).toContain("300 people common to 3 sites");
  // The analyst is told numbers, and no id.
  const { stdout } = await federation.job("result", id, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ algorithm: "align", id: "person", common: 300 });
  expect((await federation.job("result", id, "--labels", "labels.csv")).stderr).toMatch(
    /common ids are only in each site.s own results/,
  );
  expect((await federation.job("show", id)).stdout).toMatch(/align .*\n.*which of its own ids all other sites hold/s);
});

it("a job of the same family does not align again, even after everybody was killed", async () => {
  for (const name of ["coordinator", ...parties]) await federation.kill(name);
  const after = federation.log("coordinator").length;
  federation.startAll();
  await federation.until("coordinator", /is here.*is here.*is here/s, { after });
  const id = await federation.submit(job);
  expect((await federation.job("watch", id)).code).toBe(0);
  expect(federation.log("coordinator").slice(after)).not.toMatch(/aligning/);
  const { alignment, n } = JSON.parse((await federation.job("result", id, "--json")).stdout);
  expect(alignment).toEqual({ column: "person", reused: true });
  expect(n).toBe(300);
  const features = "age,income,balance,debts,visits,hours";
  const options = ["--features", features, "--algorithm", "lloyd", "--effort", "lean", "--k", "3", "--id", "person"];
  await federation.work.run("cluster", "people.csv", ...options, "--labels", "own.csv");
  for (const party of parties) expect(federation.labels(party, id)).toBe(federation.work.read("own.csv"));
});
