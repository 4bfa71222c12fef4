import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "moiety-package-"));
const elsewhere = join(folder, "elsewhere");
let packed: string[];

/** npm tells its scripts about the package that they belong to; one elsewhere must not hear of it. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)/.test(name)),
);

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await execute(program, args, { cwd, env: environment, shell: process.platform === "win32" });
  return stdout;
}

/** One tarball and one install for all tests: the dependencies are large. */
beforeAll(async () => {
  const [{ filename, files }] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", folder], root));
  packed = files.map(({ path }: { path: string }) => path);
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "package.json"), '{ "private": true, "type": "module" }');
  const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel", "error"];
  await run("npm", ["install", join(folder, filename), ...quietly], elsewhere);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package", () => {
  it("holds what runs, and nothing that only tests", () => {
    for (const needed of [
      "dist/cli/main.js",
      "dist/index.js",
      "dist/index.d.ts",
      "dist/embedded/kernels.js",
      "dist/embedded/highs.js",
      "LICENSE",
      "README.md",
    ]) {
      expect(packed).toContain(needed);
    }
    expect(packed.filter((path) => /\.test\.|testing\/|fixtures|(^|\/)bench\/|^src\/|^scripts\//.test(path))).toEqual(
      [],
    );
    const scripts = packed.filter((path) => path.endsWith(".js"));
    expect(scripts.filter((path) => /from "(vitest|fast-check)"/.test(readFileSync(join(root, path), "utf8")))).toEqual(
      [],
    );
  });

  it("brings a command", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(await run("npx", ["--no-install", "moiety", "--version"], elsewhere)).toBe(`${version}\n`);
  });

  it("says in one line that the benchmarks are not in it", async () => {
    const command = join(elsewhere, "node_modules", "moiety", "dist", "cli", "main.js");
    for (const args of [[], ["speed", "--quick"], ["--help"]]) {
      await expect(run(process.execPath, [command, "bench", ...args], elsewhere)).rejects.toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/^moiety: the benchmarks are not in the installed package: .*npm run bench.*\n$/),
      });
    }
  });

  it("clusters where it was installed", async () => {
    await run("npx", ["--no-install", "moiety", "generate", "people", "--n", "500", "-o", "people.parquet"], elsewhere);
    const asked = ["cluster", "people.parquet", "--k", "3", "--protect", "sex", "--labels", "labels.csv", "--json"];
    const result = JSON.parse(await run("npx", ["--no-install", "moiety", ...asked], elsewhere));
    expect(result).toMatchObject({ algorithm: "f3km", n: 500, k: 3, fair: true });
    expect(readFileSync(join(elsewhere, "labels.csv"), "utf8").split("\n")).toHaveLength(502);
    // The linear programs of fair-lp are solved in a thread, whose file must be in the package too.
    const baseline = ["cluster", "people.parquet", "--k", "3", "--protect", "sex", "--tolerance", "3", "--json"];
    const solved = await run("npx", ["--no-install", "moiety", ...baseline, "--algorithm", "fair-lp"], elsewhere);
    expect(JSON.parse(solved)).toMatchObject({ algorithm: "fair-lp", n: 500, k: 3, fair: true });
  });

  it("can be imported", async () => {
    const script = `
      import { cluster, generateTable, MoietyError, preparePeople } from "moiety";
      const people = preparePeople(generateTable("blobs", { n: 300 }), { protect: ["group"] });
      const { result } = await cluster(people, { k: 3, threads: 2 });
      console.log(result.n, result.k, result.fair, typeof MoietyError);
    `;
    writeFileSync(join(elsewhere, "use.js"), script);
    expect(await run(process.execPath, ["use.js"], elsewhere)).toBe("300 3 true function\n");
  });

  it.each([
    ["browser", "tableFromCsv"],
    ["federation", "Simulation"],
    ["learning", "train"],
    ["metrics", "evaluate"],
    ["privacy", "Ledger"],
    ["report", "renderReport"],
  ])("has moiety/%s", async (part, name) => {
    const script = `import { ${name} } from "moiety/${part}"; console.log(typeof ${name});`;
    expect(await run(process.execPath, ["--input-type=module", "-e", script], elsewhere)).toBe("function\n");
  });

  it("can be bundled: one file with all in it but the reader of files runs anywhere, threads and programs too", async () => {
    const script = (from: string) => `
      import { cluster, generateTable, preparePeople, prepareLearning, train } from "${from}";
      const people = preparePeople(generateTable("people", { n: 30_000 }), { protect: ["sex"], features: ["age", "income"] });
      const fair = await cluster(people, { k: 40, threads: 2 });
      const few = preparePeople(generateTable("blobs", { n: 300 }), { protect: ["group"] });
      const program = await cluster(few, { k: 3, algorithm: "fair-lp", tolerance: 3 });
      const table = generateTable("people", { n: 400 });
      const { data } = prepareLearning(table, { label: "sex", positive: "F", protect: "housing", features: ["age", "income"] });
      const learnt = await train(data, { rounds: 2, parties: 2, threads: 2, net: "mlp" });
      console.log(JSON.stringify([fair.result.sse, [...fair.labels], [...program.labels], learnt.result.accuracy]));
    `;
    const alone = join(folder, "alone");
    mkdirSync(alone);
    await build({
      stdin: { contents: script("moiety"), resolveDir: elsewhere },
      bundle: true,
      platform: "node",
      format: "esm",
      // Native code cannot be in a bundle.
      external: ["@duckdb/node-api"],
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      outfile: join(alone, "application.mjs"),
      logLevel: "error",
    });
    writeFileSync(join(elsewhere, "plain.js"), script("moiety"));
    const bundled = await run(process.execPath, ["application.mjs"], alone);
    expect(bundled).toBe(await run(process.execPath, ["plain.js"], elsewhere));
    expect(JSON.parse(bundled)[1]).toHaveLength(30_000);
  });
});
