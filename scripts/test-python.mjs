// npm run test:python: builds the wheel, installs it as its users would, with nothing but pip, into an environment beside
// node_modules, and runs its tests with the Node.js that pip brought. Needs Python; says so and passes where there is none.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "python");
const environment = join(root, ".cache", "python");
const inside = join(environment, process.platform === "win32" ? "Scripts" : "bin", "python");
const python = process.env.MOIETY_PYTHON ?? "python3";

function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: "inherit", ...options });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed${error ? ` (${error.message})` : ""}`);
}

function skip(why) {
  process.stdout.write(`skipped: the tests of the Python package: ${why}\n`);
  process.exit(0);
}

if (spawnSync(python, ["--version"], { stdio: "ignore" }).error) skip("there is no Python (python3 or MOIETY_PYTHON)");
const folder = mkdtempSync(join(tmpdir(), "moiety-python-"));
try {
  if (!existsSync(inside)) {
    try {
      run(python, ["-m", "venv", environment]);
      run(inside, ["-m", "pip", "install", "--quiet", "pandas", "hatchling"]);
    } catch ({ message }) {
      rmSync(environment, { recursive: true, force: true });
      skip(`its environment could not be made (${message})`);
    }
  }
  run(inside, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source]);
  const [wheel] = readdirSync(folder).filter((name) => name.endsWith(".whl"));
  run(inside, ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", join(folder, wheel)]);
  run(inside, ["-m", "pip", "install", "--quiet", join(folder, wheel)]);
  const env = { ...process.env };
  delete env.MOIETY_NODE;
  delete env.PYTHONPATH;
  // Not from the folder of the sources: what was installed is tested.
  run(inside, ["-W", "ignore", "-m", "unittest", "discover", "-s", join(source, "tests")], { cwd: folder, env });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
