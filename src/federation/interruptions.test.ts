import { beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "./testing/federation.js";

const federation = new LocalFederation();
const job = `k: 3
maxIterations: 1
id: person
labels: [parties, analyst]
parties:
  bank-a: { features: [age, income], protect: [sex] }
  bank-b: { features: [balance, debts] }
  hospital: { features: [visits, hours], protect: [ethnicity] }
`;

beforeAll(async () => {
  await federation.work.run("generate", "people", "--n", "300", "--seed", "5", "-o", "all.csv");
  await federation.prepare(federation.work.read("all.csv"));
});

async function state(id: string): Promise<{ state: string; reason: string | null; epochs: number }> {
  return JSON.parse((await federation.job("show", id, "--json")).stdout);
}

describe("kill -9", () => {
  it("of a party or the coordinator, in the middle of a run, changes no label", async () => {
    federation.startAll();
    await federation.until("coordinator", /is here.*is here.*is here/s);
    const id = await federation.submit(job);
    let after = 0;
    for (const name of ["bank-b", "coordinator", "bank-a", "coordinator"]) {
      await federation.until("coordinator", /: (running|done)\n/, { after });
      after = federation.log("coordinator").length;
      await federation.kill(name);
      // Visibly paused, and it says for whom.
      if (name !== "coordinator") {
        await federation.until("coordinator", new RegExp(`paused: .*${name}|: done`), { after });
        after = federation.log("coordinator").length;
      }
      federation.start(name);
      if (/: done/.test(federation.log("coordinator"))) break;
    }
    const { code, stderr } = await federation.job("watch", id);
    expect(stderr).toMatch(/done/);
    expect(code).toBe(0);
    expect((await state(id)).epochs).toBeGreaterThan(1);
    const features = "age,income,balance,debts,visits,hours";
    const options = [
      "--features",
      features,
      "--protect",
      "sex,ethnicity",
      "--k",
      "3",
      "--max-iter",
      "1",
      "--min-size",
      "2",
      "--id",
      "person",
    ];
    await federation.work.run("cluster", "people.csv", "--effort", "lean", ...options, "--labels", "own.csv");
    for (const party of ["bank-a", "bank-b", "hospital"]) {
      expect(federation.labels(party, id)).toBe(federation.work.read("own.csv"));
    }
    const fetched = await federation.job("result", id, "--labels", "out.csv", "--json");
    expect(federation.work.read("out.csv")).toBe(federation.work.read("own.csv"));
    expect(JSON.parse(fetched.stdout).epochs).toBeGreaterThan(1);
  });

  it("of everybody leaves the result where it was", async () => {
    await Promise.all(["coordinator", "bank-a", "bank-b", "hospital"].map((name) => federation.kill(name)));
    const after = federation.log("coordinator").length;
    federation.start("coordinator");
    await federation.until("coordinator", /listening/, { after });
    const [view] = JSON.parse((await federation.job("list", "--json")).stdout);
    expect(view.state).toBe("done");
    expect((await federation.job("result", view.id, "--json")).code).toBe(0);
  });

  it("and a party that never comes: waiting, then failed at the deadline", async () => {
    const id = await federation.submit(`${job}deadlineHours: 0.003\n`);
    const { code, stderr } = await federation.job("watch", id);
    expect(code).toBe(1);
    expect(stderr).toMatch(/failed: not done by its deadline; bank-a, bank-b, hospital not connected/);
  });

  it("cancel ends a job that waits", async () => {
    const id = await federation.submit(job);
    expect((await state(id)).state).toBe("waiting-for-bank-a,bank-b,hospital");
    expect((await federation.job("cancel", id)).code).toBe(0);
    const { stderr } = await federation.job("watch", id);
    expect(stderr).toMatch(/failed: cancelled by alice/);
    expect((await federation.job("cancel", id)).stderr).toMatch(/is failed already/);
  });
});
