// Compiles the kernels (AssemblyScript) and the sources (TypeScript) into dist/.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

function run(program, args) {
  const done = spawnSync(process.execPath, [join(root, "node_modules", ...program), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const optimised = ["--runtime", "stub", "--noAssert", "-O3", "--enable", "simd", "--enable", "threads"];
const memory = ["--importMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"];
for (const [source, target] of [
  ["assembly/index.ts", "dist/kernels.wasm"],
  ["assembly/learning/index.ts", "dist/learning.wasm"],
]) {
  run(["assemblyscript", "bin", "asc.js"], [source, "--outFile", target, ...optimised, ...memory]);
}
run(["typescript", "bin", "tsc"], ["-p", "tsconfig.build.json"]);

// `npx moiety` in the checkout finds the command only if it exists and may be executed.
const command = join(dist, "cli", "main.js");
if (existsSync(command)) chmodSync(command, 0o755);
