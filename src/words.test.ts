import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL(".", import.meta.url));
const declaration = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

/** Each type name of the product, and the files that declare it; a re-export is no declaration. */
function declarations(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || path.endsWith(".test.ts") || /(^|[\\/])testing[\\/]/.test(path)) continue;
    const names = new Set(Array.from(readFileSync(join(root, path), "utf8").matchAll(declaration), ([, name]) => name));
    for (const name of names) found.set(name, [...(found.get(name) ?? []), path]);
  }
  return found;
}

describe("words", () => {
  it("each type name is declared in one file, so that it means one thing", () => {
    const repeated = Array.from(declarations()).filter(([, files]) => files.length > 1);
    expect(repeated.map(([name, files]) => `${name}: ${files.join(", ")}`)).toEqual([]);
  });
});
