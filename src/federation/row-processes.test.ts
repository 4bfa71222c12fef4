import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "./testing/federation.js";

const federation = new LocalFederation();
const parties = ["bank-a", "bank-b", "hospital"];
const features = "age,income,balance,visits";
const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km, fkm-plus, fkm]
ids: [person]
idsTo: [analyst]
features: [${features},tenure,housing]
protect: [sex]
protection: means
labels: [parties, analyst]
minimum: { clusterSize: 1, group: 2 }
`;
const commonOf = (columns: string) => `split: rows
id: person
labels: [parties, analyst]
groups: { sex: [F, M, X] }
parties:
${parties.map((party) => `  ${party}: { ${columns}, protect: [sex] }`).join("\n")}
`;
const common = commonOf(`features: [${features}]`);

beforeAll(async () => {
  await federation.work.run("generate", "people", "--n", "300", "--seed", "5", "-o", "all.csv");
  // Of every seventh person nobody knows the tenure.
  const [names, ...rows] = federation.work.read("all.csv").trim().split("\n");
  const place = names.split(",").indexOf("tenure");
  const holed = rows.map((row, i) => (i % 7 > 0 ? row : row.split(",").with(place, "").join(",")));
  await federation.prepare(`${[names, ...holed].join("\n")}\n`);
  // Everybody in the order of their ids, a third of them at each site.
  const ordered = (await inOneProcess("--algorithm", "lloyd", "--k", "2")).slice(1).map((line) => line.split(",")[0]);
  const [header, ...lines] = federation.work.read("people.csv").trim().split("\n");
  const at = header.split(",").indexOf("person");
  const byId = new Map(lines.map((line) => [line.split(",")[at], line]));
  parties.forEach((party, index) => {
    const own = ordered.slice(index * 100, (index + 1) * 100).map((id) => byId.get(id));
    federation.work.write(`${party}.csv`, `${[header, ...own].join("\n")}\n`);
    federation.work.write(`${party}.yaml`, policy);
  });
  federation.startAll();
  await federation.until("coordinator", /is here.*is here.*is here/s);
});

/** The lines of the labels of one process. */
async function inOneProcess(...options: string[]): Promise<string[]> {
  const { code, stderr } = await federation.work.run(
    "cluster",
    "people.csv",
    ...["--id", "person", "--protect", "sex", "--labels", "own.csv"],
    ...(options.includes("--features") ? [] : ["--features", features]),
    ...options,
  );
  expect(stderr).not.toMatch(/^moiety:/m);
  expect(code).toBe(0);
  return federation.work.read("own.csv").trim().split("\n");
}

/** The labels that the sites have, one after the other. */
function atSites(id: string): string[] {
  const files = parties.map((party) => federation.labels(party, id).trim().split("\n"));
  expect(files.map((lines) => lines.length)).toEqual([101, 101, 101]);
  return [files[0][0], ...files.flatMap((lines) => lines.slice(1))];
}

describe("rows split over separate processes", () => {
  it.each([
    [
      "fkm-plus",
      "algorithm: fkm-plus\nk: 4\nscale: none\n",
      ["--algorithm", "fkm-plus", "--k", "4", "--scale", "none"],
      common,
    ],
    [
      "categories, and means in place of missing values",
      "k: 3\nmissing: mean\ncategories: { housing: [family, mortgage, own, rent] }\n",
      ["--k", "3", "--min-size", "2", "--missing", "mean", "--features", "age,tenure", "--categorical", "housing"],
      commonOf("features: [age, tenure], categorical: [housing]"),
    ],
    [
      "fkm",
      "algorithm: fkm\nk: 3\nscale: minmax\nprotection: means\n",
      ["--algorithm", "fkm", "--k", "3", "--scale", "minmax"],
      common,
    ],
  ])("give the labels of one process: %s", async (_, request, options, rest) => {
    const id = await federation.submit(`${request}${rest}`);
    const { stderr } = await federation.job("watch", id);
    expect(stderr).toMatch(/done/);
    const alone = await inOneProcess(...options, "--split", "rows", "--parties", "3");
    expect(atSites(id)).toEqual(alone);
    const { code } = await federation.job("result", id, "--labels", "out.csv", "--report", "report.html");
    expect(code).toBe(0);
    expect(federation.work.read("report.html")).toContain("bank-b");
    expect(federation.work.read("out.csv").trim().split("\n")).toEqual(alone);
  });

  it("are fair over all sites together, and kill -9 of a site changes no label", async () => {
    const id = await federation.submit(`k: 4\n${common}`);
    await federation.until("hospital", new RegExp(`job ${id}: running`));
    const after = federation.log("coordinator").length;
    await federation.kill("hospital");
    await federation.until("coordinator", /paused: .*hospital|: done/, { after });
    federation.start("hospital");
    const { stderr } = await federation.job("watch", id);
    expect(stderr).toMatch(/done/);
    const alone = await inOneProcess("--k", "4", "--split", "rows", "--parties", "3");
    expect(atSites(id)).toEqual(alone);
    const { stdout } = await federation.job("result", id, "--json");
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ fair: true, n: 300, d: 4 });
    expect(result.epochs).toBeGreaterThan(1);
    expect(result.sizes.reduce((sum: number, size: number) => sum + size, 0)).toBe(300);
    expect(Object.keys(result.groups.sex)).toEqual(["F", "M", "X"]);
    // Every site knows what everybody is like together, and its own people's clusters.
    const own = JSON.parse(federation.work.read(`kits/bank-b/results/${id}/summary.json`));
    expect(own).toMatchObject({ party: "bank-b", sizes: result.sizes, groups: result.groups });
    const open = result.sites["bank-a"].filter(({ protection }: { protection: string }) => protection === "open");
    expect(open.map(({ kind }: { kind: string }) => kind)).toEqual(["consent", "row count"]);
  });

  it("give the same labels where a site's people stay in a database, and kill -9 of it changes none", async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const [file, csv] = ["hospital.duckdb", "hospital.csv"].map((name) => join(federation.work.folder, name));
    const instance = await DuckDBInstance.create(file);
    const connection = await instance.connect();
    await connection.run(`CREATE TABLE people AS SELECT * FROM read_csv('${csv}') ORDER BY hours`);
    connection.closeSync();
    instance.closeSync();
    const inDatabase = ["--data", "hospital.duckdb?table=people"];
    await federation.kill("hospital");
    federation.start("hospital", ...inDatabase);
    const request = `k: 3\nmissing: mean\ncategories: { housing: [family, mortgage, own, rent] }\n`;
    const id = await federation.submit(`${request}${commonOf("features: [age, tenure], categorical: [housing]")}`);
    await federation.until("hospital", new RegExp(`job ${id}: running`));
    await federation.kill("hospital");
    federation.start("hospital", ...inDatabase);
    const { stderr } = await federation.job("watch", id);
    expect(stderr).toMatch(/done/);
    const columns = ["--features", "age,tenure", "--categorical", "housing", "--missing", "mean"];
    const alone = await inOneProcess("--k", "3", "--min-size", "2", ...columns, "--split", "rows", "--parties", "3");
    expect(atSites(id)).toEqual(alone);
    const { stdout } = await federation.job("result", id, "--json");
    expect(JSON.parse(stdout).epochs).toBeGreaterThan(1);
  });

  it("leave no data and ids in logs, reports and the coordinator's files", () => {
    const rows = federation.work
      .read("people.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","));
    const canaries = rows.flatMap((row) => [row[0], row[9]]).filter((value) => value.length > 5);
    expect(canaries.length).toBeGreaterThan(300);
    const folder = join(federation.work.folder, "kits", "coordinator");
    const files = execFileSync("find", [folder, "-type", "f"]).toString().trim().split("\n");
    const kept = execFileSync("cat", files, { maxBuffer: 1 << 28 });
    const places = [kept.toString("latin1"), federation.allLogs, federation.work.read("report.html")];
    for (const canary of canaries) for (const place of places) expect(place.includes(canary)).toBe(false);
  });

  it("are refused by a site whose policy keeps its means", async () => {
    federation.work.write("bank-b.yaml", policy.replace("protection: means", "protection: masked"));
    const id = await federation.submit(`k: 4\nprotection: means\n${common}`);
    const { code, stderr } = await federation.job("watch", id);
    expect(code).toBe(1);
    expect(stderr).toMatch(/protection 'means' is weaker than the policy's/);
  });
});
