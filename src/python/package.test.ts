import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { version } from "../version.js";

const folder = fileURLToPath(new URL("../../python", import.meta.url));
const ours = join(folder, "..", ".cache", "python", "bin", "python");
const python = process.env.MOIETY_PYTHON ?? (existsSync(ours) ? ours : "python3");
const probe = "import sklearn; assert tuple(map(int, sklearn.__version__.split('.')[:2])) >= (1, 6)";
const found = spawnSync(python, ["-c", probe], { stdio: "ignore" }).status === 0;
const without = found ? "" : ` (skipped: ${python} has no scikit-learn 1.6; npm run test:python installs one)`;

it("has the version of the package", () => {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  expect(read("pyproject.toml")).toContain(`\nversion = "${version}"\n`);
  expect(read("src/moiety/_version.py")).toContain(`__version__ = "${version}"`);
  expect(read("LICENSE")).toBe(readFileSync(join(folder, "..", "LICENSE"), "utf8"));
});

it("carries a worker without DuckDB", () => {
  const worker = readFileSync(join(folder, "src", "moiety", "worker.mjs"), "utf8");
  expect(worker).not.toContain("@duckdb");
  expect(worker.length).toBeLessThan(4e6);
});

describe.skipIf(!found)(`the Python package${without}`, () => {
  it.each(["tests.test_moiety", "tests.test_estimator_checks", "tests.test_documents"])("passes %s", (name) => {
    const { status, stderr } = spawnSync(python, ["-W", "ignore", "-m", "unittest", name], {
      cwd: folder,
      encoding: "utf8",
      // Nothing else in this process would notice that it hangs.
      timeout: 1_000_000,
      env: { ...process.env, PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1", MOIETY_NODE: process.execPath },
    });
    expect(stderr).toMatch(/\nOK\b.*\n$/);
    expect(status).toBe(0);
  });
});
