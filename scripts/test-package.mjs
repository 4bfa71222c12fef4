// npm run test:package: what would be published. publint and attw look at the package; then it is installed into empty folders
// and run with every Node.js that it is for, each a package itself, and with Deno and Bun where they are present.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = { publint: "publint@0.3.25", attw: "@arethetypeswrong/cli@0.18.5" };
/** The oldest that it runs with, and the newest of each line. */
const nodes = ["20.11", "20", "22", "24"];
const folder = mkdtempSync(join(tmpdir(), "moiety-package-"));

function run(program, args, options = {}) {
  const { status, error, stdout } = spawnSync(program, args, {
    cwd: root,
    stdio: ["ignore", options.read ? "pipe" : "inherit", "inherit"],
    encoding: "utf8",
    shell: process.platform === "win32",
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed${error ? ` (${error.message})` : ""}`);
  return stdout;
}

/** The program of a version, installed beside node_modules: npm's package `node` only chooses among these. */
function nodeOf(version) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const place = join(root, ".cache", `node-${version}`);
  const program = join(place, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(program)) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), "{}");
    run("npm", ["install", "--no-audit", "--no-fund", "--no-save", `${name}@${version}`], { cwd: place });
  }
  return program;
}

/** A fair clustering from a file, by the library. */
const trial = `
import { cluster, preparePeople, readTable } from "moiety";
const people = preparePeople(await readTable("people.csv"), { protect: ["sex"], id: "person" });
const { result } = await cluster(people, { k: 4 });
if (result.fair !== true) throw new Error("not fair");
console.log(result.sse);
`;

try {
  const [{ filename }] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { read: true }),
  );
  const tarball = join(folder, filename);
  run("npx", ["--yes", tools.publint, "run", "--strict", tarball]);
  run("npx", ["--yes", tools.attw, "--profile", "esm-only", tarball]);

  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", tarball], { cwd: folder });
  writeFileSync(join(folder, "trial.mjs"), trial);
  const main = join(folder, "node_modules", "moiety", "dist", "cli", "main.js");
  const answers = new Map();
  const tryWith = (name, program, ...before) => {
    const people = join(folder, "people.csv");
    run(program, [...before, main, "generate", "people", "--n", "2000", "-o", people], { cwd: folder });
    run(program, [...before, main, "cluster", people, "--k", "4", "--protect", "sex", "--id", "person"], {
      cwd: folder,
      read: true,
    });
    answers.set(name, run(program, [...before, join(folder, "trial.mjs")], { cwd: folder, read: true }).trim());
    process.stdout.write(`${name}: SSE ${answers.get(name)}\n`);
  };
  for (const version of nodes) tryWith(`Node.js ${version}`, nodeOf(version));
  for (const [name, before] of [
    ["deno", ["run", "-A"]],
    ["bun", []],
  ]) {
    if (spawnSync(name, ["--version"], { stdio: "ignore" }).error)
      process.stdout.write(`skipped: ${name} is not here\n`);
    else tryWith(name, name, ...before);
  }
  if (new Set(answers.values()).size !== 1) throw new Error("not the same answer everywhere");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
