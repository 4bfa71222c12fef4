import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import whole from "./vitest.config.js";

/**
 * `npm run test:quick`: every test file but the slow ones. A file is slow if its name ends in `.data.test.ts`; if it, or a
 * helper that it imports from a `testing/` folder, starts processes, browsers or whole federations; or if it says
 * `// Slow: <reason>`. Files share their modules here, which saves a third of the time, so one that mocks some is left out too.
 */
function isSlow(file: string): boolean {
  const code = readFileSync(file, "utf8");
  if (/^\/\/ Slow: |\bvi\.mock\(|from "(node:child_process|playwright-core)"/m.test(code)) return true;
  const helpers = Array.from(code.matchAll(/from "(\.[^"]*\btesting\/[^"]*)\.js"/g), ([, path]) => `${path}.ts`);
  return helpers.map((path) => join(dirname(file), path)).some((path) => federations.test(path) || isSlow(path));
}

const federations = /src[\\/]federation[\\/]testing[\\/]/;

const slow = ["src", "bench", "examples"].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter(
      (path) =>
        /\.data\.test\.ts$/.test(path) || (path.endsWith(".test.ts") && isSlow(join(import.meta.dirname, path))),
    )
    .map((path) => path.replaceAll("\\", "/")),
);

export default mergeConfig(whole, defineConfig({ test: { exclude: slow, isolate: false } }));
