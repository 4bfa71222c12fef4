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
const kernels = ["--outFile", "dist/kernels.wasm", "--runtime", "stub", "--noAssert", "-O3", "--converge"];
const memory = ["--importMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"];
run(
  ["assemblyscript", "bin", "asc.js"],
  ["assembly/index.ts", ...kernels, ...memory, "--enable", "simd", "--enable", "threads"],
);
run(["typescript", "bin", "tsc"], ["-p", "tsconfig.build.json"]);

// `npx moiety` in the checkout finds the command only if it exists and may be executed.
const command = join(dist, "cli", "main.js");
if (existsSync(command)) chmodSync(command, 0o755);
