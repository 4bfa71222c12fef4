import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Whether a test file belongs to the slow ones: if its name ends in `.data.test.ts`; if it, or a helper that it imports from a
 * `testing/` folder, starts processes, browsers or whole federations; if it mocks modules; or if it says `// Slow: <reason>`.
 */
function isSlow(file: string): boolean {
  const code = readFileSync(file, "utf8");
  if (/^\/\/ Slow: |\bvi\.mock\(|from "(node:child_process|playwright-core)"/m.test(code)) return true;
  const helpers = Array.from(code.matchAll(/from "(\.[^"]*\btesting\/[^"]*)\.js"/g), ([, path]) => `${path}.ts`);
  return helpers.map((path) => join(dirname(file), path)).some((path) => federations.test(path) || isSlow(path));
}

const federations = /src[\\/]federation[\\/]testing[\\/]/;

const files = ["src", "bench", "simulate", "examples"].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => join(folder, path).replaceAll("\\", "/")),
);
const slow = files.filter((path) => path.endsWith(".data.test.ts") || isSlow(join(import.meta.dirname, path)));

/** Those that take a minute or more begin first: begun last, one would run alone. */
const longest = ["src/quality.test.ts", "bench/command.test.ts"];

/** Slow files first; then the quick ones one after the other, for a worker that comes from another project loads all modules anew. */
class Order extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ project, moduleId }: TestSpecification) =>
      longest.some((path) => moduleId.endsWith(path)) ? 0 : project.name === "slow" ? 1 : 2;
    return (await super.sort(specifications)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^#host$/, replacement: join(import.meta.dirname, "src/host/node.ts") },
      { find: /^#host-thread$/, replacement: join(import.meta.dirname, "src/host/worker-node.ts") },
    ],
  },
  test: {
    // Worker threads of our own pool live inside each test process: forks keep them apart.
    pool: "forks",
    // Tests of what was built load it as it is.
    server: { deps: { external: [/[\\/]dist[\\/].*\.js$/] } },
    // One more than cores: tests of processes and connections often wait.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: Order },
    setupFiles: ["src/testing/same-cases.ts"],
    // Only what hangs is to fail by the clock: a machine ten times slower than ours is no fault.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    projects: [
      {
        extends: true,
        // Files share their modules, which takes half of the time away.
        test: { name: "quick", include: files.filter((path) => !slow.includes(path)), isolate: false },
      },
      { extends: true, test: { name: "slow", include: slow } },
    ],
  },
});
