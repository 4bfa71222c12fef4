import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { command as built, Workplace } from "./testing/command.js";

const work = new Workplace();
const shell = promisify(execFile);

/** What the last line suggests, given to a shell as it is. */
async function paste(stdout: string): Promise<{ line: string; result: Record<string, unknown> }> {
  const line = stdout.trimEnd().split("\n").at(-1)!.trim();
  expect(line).toMatch(/^\$ moiety cluster /);
  const command = line.slice("$ moiety".length);
  const script = `'${process.execPath}' '${built}'${command} --json`;
  const { stdout: json } = await shell("sh", ["-c", script], { cwd: work.folder });
  return { line, result: JSON.parse(json) };
}

beforeAll(() => work.run("generate", "people", "--n", "500", "--seed", "2", "-o", "people.csv"));

describe("describe", () => {
  it("ends with a command that runs", async () => {
    const { code, stdout, stderr } = await work.run("describe", "people.csv");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^500 rows, 14 columns$/m);
    expect(stdout).toMatch(/^column +kind +missing +distinct +role +why$/m);
    expect(stdout).toMatch(/^ {2}sex: F \d+, M \d+/m);
    expect(stdout).toMatch(/^ {2}hours explains \d+\.\d% of sex$/m);
    const { line, result } = await paste(stdout);
    expect(line).toBe("$ moiety cluster people.csv --k 5 --protect sex,ethnicity,age:quartiles --id person");
    expect(result).toMatchObject({ n: 500, k: 5, fair: true });
  });

  it("quotes what needs quotes, and leaves out what is in the way", async () => {
    const header = `"last, first",sex,"the ""race""",40,-x,income's $HOME,holes,doubt,Birth date`;
    const lines = Array.from({ length: 60 }, (_, i) => {
      const born = `19${50 + (i % 40)}-0${1 + (i % 9)}-11`;
      const doubt = i === 7 ? "unknown" : i * 3;
      return `n${i},${i % 2 ? "F" : "M"},${i % 3 ? "a" : "b"},${i % 7},${(i * 5) % 11},${(i * i) % 97},${i % 3 ? "" : i},${doubt},${born}`;
    });
    const file = "some people's $(file).csv";
    work.write(file, `${header}\n${lines.join("\n")}\n`);
    const { code, stdout } = await work.run("describe", file);
    expect(code).toBe(0);
    const { line, result } = await paste(stdout);
    expect(line).toContain(`--protect 'sex,"the ""race""",Birth date:quartiles'`);
    expect(line).toContain("--exclude holes,doubt");
    expect(result.features).toEqual(["40", "-x", "income's $HOME"]);
    expect(Object.keys(result.groups as object)).toEqual(["sex", 'the "race"', "Birth date"]);
  });

  it("as JSON has all of it", async () => {
    const { code, stdout } = await work.run("describe", "people.csv", "--json");
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ rows: 500, judgedBy: 500, warnings: [] });
    expect(result.columns).toHaveLength(14);
    expect(result.columns[1]).toMatchObject({ name: "sex", kind: "text", role: "protect", missing: 0, distinct: 3 });
    expect(result.predictors[0]).toEqual({
      column: expect.any(String),
      of: expect.any(String),
      share: expect.any(Number),
    });
    expect(result.suggestion).toMatch(/^moiety cluster people\.csv --k 5 /);
  });

  it("asks for fewer clusters where five cannot be fair, and for what is read as it was read", async () => {
    const lines = Array.from({ length: 8 }, (_, i) => `${i * i};${i < 2 ? "F" : "M"};${i === 5 ? "none" : i % 4}`);
    work.write("few.csv", `x;sex;y\n${lines.join("\n")}\n`);
    const { stdout } = await work.run("describe", "few.csv", "--na", "none");
    const { line, result } = await paste(stdout);
    expect(line).toMatch(/--missing drop --na none$/);
    expect(result.n).toBe(7);
  });

  it("says where there is nothing to cluster by, and nothing that is named like a protected attribute", async () => {
    work.write("texts.csv", `street\n${Array.from({ length: 30 }, (_, i) => `s${i}`).join("\n")}\n`);
    const none = await work.run("describe", "texts.csv");
    expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/There is nothing to cluster by/)]);
    expect(JSON.parse((await work.run("describe", "texts.csv", "--json")).stdout).suggestion).toBeNull();
    work.write("plain.csv", `x,y\n${Array.from({ length: 30 }, (_, i) => `${i % 7},${(i * i) % 11}`).join("\n")}\n`);
    const { stdout } = await work.run("describe", "plain.csv");
    expect(stdout).toMatch(/No column is named like a protected attribute: name yours with --protect/);
    expect((await paste(stdout)).result).toMatchObject({ fair: null });
  });

  it.each<[string[], RegExp]>([
    [["describe", "nobody.csv"], /no such file: nobody\.csv/],
    [["describe"], /the source is missing: see moiety describe --help/],
    [["describe", "people.csv", "--k", "3"], /unknown option '--k'/],
    [["describe", "SELECT nothing FROM 'people.csv'"], /nothing/],
  ])("%j is refused in one line", async (asked, says) => {
    const { code, stdout, stderr } = await work.run(...asked);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^moiety: [^\n]+\n$/);
    expect([code, stdout]).toEqual([2, ""]);
  });
});
