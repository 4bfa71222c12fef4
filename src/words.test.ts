import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Names that are still declared in several files. The list only shrinks: a name that is unique must leave it. */
const stillToRename: readonly string[] = [
  "Answer",
  "Bounds",
  "Ending",
  "HeldColumn",
  "Kept",
  "Numbers",
  "Placed",
  "Prepared",
  "Question",
  "Received",
  "Release",
  "Shape",
  "Submission",
  "Table",
  "Verdict",
  "Waiting",
];

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
  const repeated = Array.from(declarations()).filter(([, files]) => files.length > 1);

  it("each type name is declared in one file, so that it means one thing", () => {
    const wrong = repeated.filter(([name]) => !stillToRename.includes(name));
    expect(wrong.map(([name, files]) => `${name}: ${files.join(", ")}`)).toEqual([]);
  });

  it("names that are unique by now have left the list of those to rename", () => {
    const names = repeated.map(([name]) => name);
    expect(stillToRename.filter((name) => !names.includes(name))).toEqual([]);
  });
});
