import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "./testing/federation.js";

const federation = new LocalFederation();
const everybody = `  bank-a: { features: [age, income], protect: [sex] }
  hospital: { features: [visits, hours], protect: [ethnicity] }`;
const three = `${everybody}\n  bank-b: { features: [balance, debts] }`;

beforeAll(async () => {
  const made = await federation.work.run("generate", "people", "--n", "400", "--seed", "5", "-o", "all.csv");
  expect(made.code).toBe(0);
  await federation.prepare(federation.work.read("all.csv"));
  federation.startAll();
  await federation.until("coordinator", /hospital is here/);
});

async function inOneProcess(...options: string[]): Promise<string> {
  const { code, stderr } = await federation.work.run(
    "cluster",
    "people.csv",
    "--id",
    "person",
    "--labels",
    "own.csv",
    // As jobs do where their card says nothing.
    "--effort",
    "lean",
    ...options,
  );
  expect(stderr).not.toMatch(/^moiety:/m);
  expect(code).toBe(0);
  return federation.work.read("own.csv");
}

describe("separate processes over TLS", () => {
  it.each([
    ["f3km", "k: 4\nmaxIterations: 1", ["--k", "4", "--max-iter", "1", "--min-size", "2"], three],
    [
      "f3km of two parties, masked",
      "k: 3\nseed: 2\ndelta: 0.3\nprotection: masked",
      ["--k", "3", "--seed", "2", "--delta", "0.3", "--min-size", "2"],
      everybody,
    ],
    [
      "lloyd",
      "algorithm: lloyd\nk: 5\nscale: minmax",
      ["--algorithm", "lloyd", "--k", "5", "--scale", "minmax"],
      three,
    ],
    [
      "cdkm of two parties",
      "algorithm: cdkm\nk: 3\nmaxIterations: 2",
      ["--algorithm", "cdkm", "--k", "3", "--max-iter", "2"],
      everybody,
    ],
  ])("give the labels of one process: %s", async (_, request, options, parties) => {
    const relaxed = request.includes("algorithm") ? parties.replace(/, protect: \[\w+\]/g, "") : parties;
    const job = `${request}\nid: person\nlabels: [parties, analyst]\nparties:\n${relaxed}\n`;
    // Sites whose policy asks for a smallest cluster take no job that promises none.
    const policy = federation.work.read("bank-a.yaml");
    for (const party of ["bank-a", "bank-b", "hospital"]) {
      federation.work.write(
        `${party}.yaml`,
        `${policy.replace(/(minimum|protection):.*\n/g, "")}minimum: { clusterSize: 1 }\nprotection: masked\n`,
      );
    }
    federation.work.write("job.yaml", job);
    const { code, stderr } = await federation.job(
      "submit",
      "job.yaml",
      "--wait",
      "--labels",
      "out.csv",
      "--report",
      "report.html",
    );
    expect(stderr).not.toMatch(/^moiety:/m);
    expect(code).toBe(0);
    const features = parties === three ? "age,income,visits,hours,balance,debts" : "age,income,visits,hours";
    const protect = request.includes("algorithm") ? [] : ["--protect", "sex,ethnicity"];
    const alone = await inOneProcess(...options, "--features", features, ...protect);
    expect(federation.work.read("out.csv")).toBe(alone);
    const id = /job ([0-9a-f]{12}): done/.exec(stderr)![1];
    for (const party of parties === three ? ["bank-a", "bank-b", "hospital"] : ["bank-a", "hospital"]) {
      expect(federation.labels(party, id)).toBe(alone);
    }
    expect(federation.work.read("report.html")).toMatch(/What left each site/);
  });

  it("keeps data and ids out of logs, reports and the coordinator's files", async () => {
    const rows = federation.work
      .read("people.csv")
      .trim()
      .split("\n")
      .slice(1, 200)
      .map((line) => line.split(","));
    const canaries = rows.flatMap((row) => [row[0], row[9]]).filter((value) => value.length > 5);
    const kept = execFileSync("cat", files(join(federation.work.folder, "kits", "coordinator")), {
      maxBuffer: 1 << 28,
    });
    const places = [kept.toString("latin1"), federation.allLogs, federation.work.read("report.html")];
    for (const canary of canaries) for (const place of places) expect(place.includes(canary)).toBe(false);
    // The test can fail: the parties' own files have them.
    expect(federation.labels("bank-a", lastJob()).includes(rows[0][0])).toBe(true);
  });

  it("gives no labels to an analyst whom the card leaves out, and no job of another analyst", async () => {
    const id = await federation.submit(`k: 3\nid: person\nmaxIterations: 2\nparties:\n${three}\n`);
    expect((await federation.job("watch", id)).code).toBe(0);
    const { code, stderr } = await federation.job("result", id, "--labels", "none.csv");
    expect(code).toBe(2);
    expect(stderr).toMatch(/keeps labels from analysts/);
    const other = await federation.work.run("job", "show", id, "--kit", "kits/bob");
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/no job .* of bob/);
  });
});

function files(folder: string): string[] {
  return execFileSync("find", [folder, "-type", "f"]).toString().trim().split("\n");
}

function lastJob(): string {
  return [...federation.log("bank-a").matchAll(/job ([0-9a-f]{12}): labels and summary/g)].at(-1)![1];
}
