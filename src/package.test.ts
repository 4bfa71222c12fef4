import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "moiety-installed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whoever has arrays only leaves DuckDB out: what is installed then, in bytes. */
const mostBytes = 46e6;

function run(program: string, args: readonly string[], cwd = folder) {
  return spawnSync(program, args, { cwd, encoding: "utf8", shell: process.platform === "win32" });
}

function bytesIn(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

describe("the package, installed in an empty folder without what is optional", () => {
  let packed: readonly string[];
  let failure: string | undefined;

  beforeAll(() => {
    const [{ filename, files }] = JSON.parse(
      run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root).stdout,
    );
    packed = files.map(({ path }: { path: string }) => path);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    const { status, stderr } = run("npm", ["install", "--omit=optional", "--omit=peer", ...quiet, `./${filename}`]);
    if (status !== 0) failure = stderr.split("\n")[0];
  });

  it("has examples, documents and the citation, and no tests, benchmarks or data", () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        "README.md",
        "SECURITY.md",
        "CITATION.cff",
        "examples/fair-clustering.ts",
        "docs/README.md",
      ]),
    );
    expect(packed.filter((path) => /\.test\.|^dist\/(bench|simulate|python)\/|^src\/|\.parquet$/.test(path))).toEqual(
      [],
    );
  });

  it("takes at most 46 MB, and clusters arrays", ({ skip }) => {
    if (failure !== undefined) skip(`the packages that it needs could not be installed: ${failure}`);
    expect(bytesIn(join(folder, "node_modules"))).toBeLessThanOrEqual(mostBytes);
    const script = `
      import { cluster, preparePeople, tableFromColumns } from "moiety";
      const at = Array.from({ length: 300 }, (_, i) => i);
      const table = tableFromColumns({ a: at.map((i) => (i * 7) % 31), b: at.map((i) => i % 5), sex: at.map((i) => (i % 3 ? "M" : "F")) });
      const { result } = await cluster(preparePeople(table, { protect: ["sex"] }), { k: 3 });
      console.log(result.fair, result.n);`;
    writeFileSync(join(folder, "trial.mjs"), script);
    expect(run(process.execPath, ["trial.mjs"])).toMatchObject({ status: 0, stdout: "true 300\n", stderr: "" });
  });

  it("says what installs DuckDB where a file is to be read", ({ skip }) => {
    if (failure !== undefined) skip(`the packages that it needs could not be installed: ${failure}`);
    writeFileSync(join(folder, "people.csv"), "a,b\n1,2\n3,4\n");
    const command = join("node_modules", "moiety", "dist", "cli", "main.js");
    const { status, stderr } = run(process.execPath, [command, "cluster", "people.csv", "--k", "2"]);
    expect(stderr).toContain(`: npm install @duckdb/node-api@${manifest.optionalDependencies["@duckdb/node-api"]}\n`);
    expect(status).toBe(1);
  });
});
