// Runs before `npm start` and `npm test`, with nothing but Node: installs when the lock file changed, then builds.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// What is built runs with Node.js 20.11; the tools that build and test it need more.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node.js is ${process.versions.node}: building and testing need 20.19 or newer`);
  process.exit(1);
}

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".moiety-lock");
const lock = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

function run(command, args) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lock) {
  // --include=dev: NODE_ENV=production would otherwise leave out the compilers. Not `npm ci`: it insists on a lock entry
  // for every other platform's optional binaries, which not every registry carries; versions come from the lock all the same.
  run("npm", ["install", "--include=dev", "--no-save", "--no-audit", "--no-fund"]);
  writeFileSync(stamp, lock);
}
run(process.execPath, [join(root, "scripts", "build.mjs")]);
