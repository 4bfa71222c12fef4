// Compiles the kernels (AssemblyScript) and the sources (TypeScript) into dist/, and embeds the kernels and the threads' code
// in modules, so that an application that bundles the package needs no file beside it. The benchmarks and the
// simulated federations go to dist/bench and dist/simulate, which are not in the package: there they run on what is in it.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

function run(program, args) {
  const done = spawnSync(process.execPath, [join(root, "node_modules", ...program), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** A module of texts and facts about them, with the licence of whoever wrote them. */
function embed(name, values, licence) {
  const lines = (line) => Object.entries(values).map(line).join("");
  const typeOf = (value) =>
    typeof value === "object" ? `{ ${Object.entries(value).map(fieldOf).join(" ")} }` : typeof value;
  const fieldOf = ([field, value]) => `readonly ${field}: ${typeOf(value)};`;
  writeFileSync(
    join(dist, "embedded", `${name}.js`),
    (licence ? `/*! ${licence.trim()} */\n` : "") +
      lines(([constant, value]) => `export const ${constant} = ${JSON.stringify(value)};\n`),
  );
  writeFileSync(
    join(dist, "embedded", `${name}.d.ts`),
    lines(([constant, value]) => `export declare const ${constant}: ${typeOf(value)};\n`),
  );
}

/** The bytes of a build of kernels. */
function compileKernels(source, ...options) {
  const file = join("dist", "kernels.wasm");
  const optimised = ["--runtime", "stub", "--noAssert", "-O3", "--enable", "simd", "--enable", "threads"];
  const memory = ["--importMemory", "--initialMemory", "1", "--maximumMemory", "65536"];
  run(["assemblyscript", "bin", "asc.js"], [source, "--outFile", file, ...optimised, ...memory, ...options]);
  const bytes = readFileSync(join(root, file));
  rmSync(join(root, file));
  return bytes;
}

/** Hexadecimal: a page that is sent compressed is smaller than with base64, in which the same bytes have other digits at each place. */
function digitsOf(bytes) {
  return bytes.toString("hex");
}

/** What makes one build of another: the bytes that take the place of those at [from, to). Builds are much alike. */
function differenceOf(one, other) {
  const shorter = Math.min(one.length, other.length);
  let from = 0;
  while (from < shorter && one[from] === other[from]) from++;
  let after = 0;
  while (from + after < shorter && one.at(-1 - after) === other.at(-1 - after)) after++;
  return { from, to: one.length - after, bytes: digitsOf(other.subarray(from, other.length - after)) };
}

/** The code of a thread, with all that it imports, as one text. */
function threadCode(source, platform) {
  const [{ text }] = buildSync({
    entryPoints: [join(dist, source)],
    bundle: true,
    write: false,
    minify: platform === "browser",
    platform,
    format: platform === "node" ? "cjs" : "iife",
    // HiGHS asks for these where it finds itself in Node.
    external: ["node:*", "fs", "path", "crypto"],
    // The CommonJS build: the other one wants to know where its file is, and a text has no file.
    alias: { highs: join(highs, "build/highs.js") },
  }).outputFiles;
  return text;
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "embedded"), { recursive: true });
const kernels = compileKernels("assembly/index.ts", "--sharedMemory");
const unshared = differenceOf(kernels, compileKernels("assembly/index.ts"));
const relaxed = differenceOf(
  kernels,
  compileKernels("assembly/index.ts", "--sharedMemory", "--enable", "relaxed-simd"),
);
const learning = compileKernels("assembly/learning/index.ts", "--sharedMemory");
const unsharedLearning = differenceOf(learning, compileKernels("assembly/learning/index.ts"));
// What says whether memory is shared stands before all code: so one difference does not shift the other.
if (unshared.to > relaxed.from) throw new Error("the builds of the kernels differ where they should not");
const neighbours = compileKernels("assembly/neighbours/index.ts", "--sharedMemory");
const unsharedNeighbours = differenceOf(neighbours, compileKernels("assembly/neighbours/index.ts"));
embed("neighbours-kernels", { neighbours: { plain: digitsOf(neighbours), unshared: unsharedNeighbours } });
const rows = compileKernels("assembly/rows/index.ts", "--sharedMemory");
const unsharedRows = differenceOf(rows, compileKernels("assembly/rows/index.ts"));
embed("rows-kernels", { rows: { plain: digitsOf(rows), unshared: unsharedRows } });
const ring = compileKernels("assembly/ring/index.ts", "--sharedMemory");
const unsharedRing = differenceOf(ring, compileKernels("assembly/ring/index.ts"));
embed("ring-kernels", { ring: { plain: digitsOf(ring), unshared: unsharedRing } });
embed("kernels", { kernels: { plain: digitsOf(kernels), relaxed, unshared } });
embed("learning-kernels", { learning: { plain: digitsOf(learning), unshared: unsharedLearning } });
const highs = join(root, "node_modules/highs");
const program = gzipSync(readFileSync(join(highs, "build/highs.wasm")), { level: 9 }).toString("base64");
embed("highs", { highs: program }, readFileSync(join(highs, "LICENSE"), "utf8"));

const inBrowsers = { lane: "kernels/lane-worker.js", crew: "kernels/crew-worker.js" };
const solver = { solver: "kernels/programs-worker.js" };
const threads = {
  ...inBrowsers,
  layer: "privacy/alignment/worker.js",
  column: "table/column-worker.js",
  scaling: "python/scaling-worker.js",
};
const codesOf = (sources, platform) =>
  Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, threadCode(source, platform)]));
// The compiler wants their names before they can be made.
embed("threads", threads);
embed("browser-threads", inBrowsers);
for (const name of ["solver", "browser-solver"]) embed(name, solver);
run(["typescript", "bin", "tsc"], ["-p", "tsconfig.build.json"]);
embed("threads", codesOf(threads, "node"));
embed("browser-threads", codesOf(inBrowsers, "browser"));
embed("solver", codesOf(solver, "node"));
embed("browser-solver", codesOf(solver, "browser"));

for (const folder of ["bench", "simulate"]) {
  const entryPoints = readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("testing"))
    .map((path) => join(root, folder, path));
  for (const { path, text } of buildSync({ entryPoints, outdir: join(dist, folder), write: false }).outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replace(/"((?:\.\.\/)+)src\//g, '"$1'));
  }
}

run(["..", "scripts", "build-web.mjs"], []);

// The process behind the Python package, as one file: what a wheel carries of all this.
buildSync({
  entryPoints: [join(dist, "python", "main.js")],
  outfile: join(root, "python", "src", "moiety", "worker.mjs"),
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  legalComments: "inline",
  alias: { highs: join(highs, "build/highs.js") },
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
});

// `npx moiety` in the checkout finds the command only if it exists and may be executed.
chmodSync(join(dist, "cli", "main.js"), 0o755);
