import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { type Finished, smallTable, stoppedByHand, Workplace } from "./testing/command.js";

const work = new Workplace();
const table = smallTable();
const asked = ["--k", "2", "--protect", "sex", "--id", "person"];
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  work.write("people.csv", table);
  mkdirSync(work.path("tmp"));
  env = { ...process.env, TMPDIR: work.path("tmp"), MOIETY_LEDGER: work.path("ledger") };
  const files = ["--labels", "labels.csv", "--model", "model.json"];
  expect((await work.run("cluster", "people.csv", ...asked, ...files)).code).toBe(0);
});

/** The command with this on its standard input; no copy of it stays behind. */
async function feed(input: string | Uint8Array, ...args: string[]): Promise<Finished> {
  const { process: child, done } = work.start({ env, stdio: "pipe" }, ...args);
  child.stdin!.on("error", () => undefined).end(input);
  const finished = await done;
  expect(readdirSync(work.path("tmp"))).toEqual([]);
  return finished;
}

const withoutTimes = (text: string) => text.replace(/"seconds": \{[^}]*\}|^\d+\.\d s in all.*$/gms, "");

describe("standard input as the source", () => {
  it.each(["-", "/dev/stdin"])("%s gives the labels of the same file", async (source) => {
    const { code, stdout } = await feed(table, "cluster", source, ...asked, "--labels", "piped.csv");
    expect(code).toBe(0);
    expect(work.read("piped.csv")).toBe(work.read("labels.csv"));
    expect(stdout).toMatch(/^40 people in 2 clusters/);
  });

  it.each<[string, Uint8Array | string]>([
    ["gzip", gzipSync(table)],
    [
      "JSON",
      JSON.stringify([...Array(60)].map((_, i) => ({ age: (i * i) % 5, income: i / 2, sex: i % 3 ? "F" : "M" }))),
    ],
  ])("may be %s", async (_what, input) => {
    const { code, stderr } = await feed(
      input,
      "cluster",
      "-",
      "--k",
      "2",
      "--features",
      "age,income",
      "--protect",
      "sex",
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("may be Parquet", async () => {
    await work.run("generate", "people", "--n", "300", "-o", "people.parquet");
    const { code, stdout } = await feed(readFileSync(work.path("people.parquet")), "cluster", "-", "--k", "3");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^300 people/);
  });

  it.each<[string, string[]]>([
    ["sweep", ["--k", "2..3"]],
    ["predict", ["--model", "model.json", "--labels", "predicted.csv"]],
    ["evaluate", ["--labels", "labels.csv", "--id", "person", "--protect", "sex"]],
    ["train", ["--label", "sex", "--protect", "far", "--rounds", "2", "--parties", "2"]],
  ])("is read by %s too", async (command, options) => {
    const rows = table.trimEnd().split("\n");
    const more = rows.map((row, i) => `${row},${i === 0 ? "far" : `g${i % 2}`}`).join("\n");
    work.write("more.csv", more);
    const [piped, named] = await Promise.all([
      feed(more, command, "-", ...options, "--json"),
      work.run(command, "more.csv", ...options.map((each) => each.replace("predicted", "named")), "--json"),
    ]);
    expect(piped.stderr).toBe(named.stderr);
    expect(withoutTimes(piped.stdout)).toBe(withoutTimes(named.stdout));
    expect(piped.code).toBe(named.code);
  });

  it("that is empty, or no table, or wanted twice, is said in one line", async () => {
    expect(await feed("", "cluster", "-", "--k", "2")).toMatchObject({
      code: 2,
      stderr: "moiety: standard input is empty: nothing came in\n",
    });
    const ragged = await feed("a,b\n1,2\n3\n", "cluster", "-", "--k", "2");
    expect(ragged.stderr).toBe("moiety: not a table: standard input: row 3 has 1 cell and the header has 2\n");
    const twice = await feed(table, "evaluate", "-", "--labels", "-");
    expect(twice.stderr).toBe("moiety: standard input can be read once: name a file for --labels\n");
    expect(twice.code).toBe(2);
  });

  it("has no name under which a budget could be kept", async () => {
    const dp = ["cluster", "-", "--k", "2", "--algorithm", "dp-fair", "--protect", "sex", "--epsilon", "1"];
    const { code, stderr } = await feed(table, ...dp);
    expect(stderr).toMatch(/^moiety: --dataset is missing: .*such as --dataset people\n$/);
    expect(code).toBe(2);
  });

  it("leaves no copy behind when Ctrl-C is pressed while it is read, or later", async () => {
    const { process: child, done } = work.start({ env, stdio: "pipe" }, "cluster", "-", "--k", "2");
    child.stdin!.on("error", () => undefined).write(table);
    while (readdirSync(work.path("tmp")).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGINT");
    expect(stoppedByHand(await done)).toBe(true);
    expect(readdirSync(work.path("tmp"))).toEqual([]);
  });
});

describe("--labels -", () => {
  it("puts the labels on standard output, and all else on standard error", async () => {
    const { code, stdout, stderr } = await feed(table, "cluster", "-", ...asked, "--labels", "-", "--model", "m.json");
    expect(stdout).toBe(work.read("labels.csv"));
    expect(stderr).toMatch(/^40 people in 2 clusters.*\nWrote m\.json\.\n/s);
    expect(code).toBe(0);
    const predicted = await feed(stdout === "" ? "" : table, "predict", "-", "--model", "m.json", "--labels", "-");
    expect(predicted.stdout).toMatch(/^row,cluster\n0,\d\n/);
    expect(predicted.stderr).toMatch(/^40 people in 2 clusters/);
  });

  it("goes through a pipe into evaluate", async () => {
    const command = `"${process.execPath}" "$MOIETY" cluster people.csv ${asked.join(" ")} --labels - 2>said.txt | "${process.execPath}" "$MOIETY" evaluate people.csv --labels - --id person --protect sex --json`;
    const main = new URL("../../dist/cli/main.js", import.meta.url).pathname;
    const child = spawn("sh", ["-c", command], { cwd: work.folder, env: { ...env, MOIETY: main } });
    let stdout = "";
    child.stdout.on("data", (text) => {
      stdout += text;
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(JSON.parse(stdout)).toMatchObject({ n: 40, k: 2 });
  });

  it("beside --json is wrong usage, and so is any other result there", async () => {
    const both = await feed(table, "cluster", "-", ...asked, "--labels", "-", "--json");
    expect(both.stderr).toBe("moiety: --labels - and --json both write to standard output: name a file for labels\n");
    expect(both).toMatchObject({ code: 2, stdout: "" });
    const model = await work.run("cluster", "people.csv", ...asked, "--model", "-");
    expect(model.stderr).toBe("moiety: only --labels can go to standard output: name a file instead of -\n");
    expect(work.files()).not.toContain("-");
  });

  it("writes nothing there when another result cannot be written", async () => {
    const { code, stdout } = await feed(table, "cluster", "-", ...asked, "--labels", "-", "--model", "nowhere/m.json");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });
});

describe("what the columns hold", () => {
  /** Eighty people, their incomes with thousands separators, some of them unknown. */
  const rows = Array.from({ length: 80 }, (_, i) => {
    const income = i % 9 === 0 ? "NA" : `"${(i % 2 ? 30_000 + i * 7 : 90_000 + i * 11).toLocaleString("en-US")}.50"`;
    return `${i % 5},${income},${i % 7 < 4 ? "F" : "M"},${i % 2 === 0},${i === 60 ? "n.a." : i * 1.5}`;
  });
  const text = `"visits, yearly",income,sex,member,score\n${rows.join("\n")}\n`;

  it("is said where nobody can read it, by cells as a spreadsheet names them", async () => {
    work.write("kinds.csv", text);
    const { code, stderr } = await work.run("cluster", "kinds.csv", "--k", "2", "--protect", "sex");
    expect(stderr).toMatch(
      /^moiety: column 'score' looks numeric, but 1 of its 80 cells \(E62\) is not a number; .*--na.*--exclude score\n$/,
    );
    expect(code).toBe(2);
  });

  it("does not vanish for a few NA: those columns are the features, and not what is left beside them", async () => {
    const people = Array.from({ length: 60 }, (_, i) => {
      const [income, kids] = [i % 11 === 0 ? "NA" : 20_000 + ((i * 7919) % 5000), i % 13 === 0 ? "NA" : i % 4];
      return `${1000 + i},${1950 + ((i * 31) % 40)},${income},${kids},${i % 3 ? "F" : "M"}`;
    });
    work.write("marketing.csv", `ID,Year,Income,Kids,Sex\n${people.join("\n")}\n`);
    const asked = ["cluster", "marketing.csv", "--k", "2", "--protect", "Sex"];
    const { code, stderr } = await work.run(...asked);
    expect(stderr).toBe(
      "moiety: column 'Income' has 6 missing values; use --missing drop or --missing mean, or leave the column out\n",
    );
    expect(code).toBe(2);
    const { stdout } = await work.run(...asked, "--missing", "mean", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ n: 60, d: 3, features: ["Year", "Income", "Kids"] });
  });

  it("is read with --na, --exclude and names in quotes", async () => {
    work.write("kinds.csv", text);
    const missing = ["--missing", "drop", "--k", "2", "--protect", "sex", "--json"];
    const named = await work.run("cluster", "kinds.csv", "--na", "n.a.", ...missing);
    expect(JSON.parse(named.stdout)).toMatchObject({ features: ["visits, yearly", "income", "score"], n: 70 });
    const without = await work.run("cluster", "kinds.csv", "--exclude", 'score,"visits, yearly"', ...missing);
    expect(JSON.parse(without.stdout)).toMatchObject({ features: ["income"], n: 71 });
    const chosen = await work.run("cluster", "kinds.csv", "--features", '"visits, yearly",member', ...missing);
    expect(JSON.parse(chosen.stdout)).toMatchObject({ features: ["visits, yearly", "member"], n: 80 });
    const idle = await work.run("cluster", "kinds.csv", "--features", "income", "--exclude", "score", ...missing);
    expect(idle.stderr).toBe("moiety: --exclude does nothing beside --features: leave it out\n");
  });
});
