import { describe, expect, it } from "vitest";
import { methods } from "./algorithms/catalogue.js";
import { methodNames } from "./learning/catalogue.js";
import { sources, textsOf } from "./testing/sources.js";

/**
 * What a method can do stands in its folder. Tests and what only they use may name methods, and so may benchmarks, which
 * are about single methods by nature (bench/ is no part of the product).
 */
const folders = [
  ...methods.map(({ name }) => ({ name, folder: `algorithms/${name}/` })),
  ...methodNames.map((name) => ({ name, folder: `learning/methods/${name}/` })),
];

describe("a method's name", () => {
  it("is that of its folder, in which its descriptor is", () => {
    for (const { folder } of folders) expect(sources).toContain(`${folder}method.ts`);
  });

  it("stands between quotes in its folder and nowhere else", () => {
    const words = new RegExp(
      `(?<![\\w-])(${folders
        .map(({ name }) => name)
        .sort((a, b) => b.length - a.length)
        .join("|")})(?![\\w-])`,
      "g",
    );
    const folderOf = new Map(folders.map(({ name, folder }) => [name as string, folder]));
    const elsewhere = sources.flatMap((path) =>
      textsOf(path).flatMap((text) =>
        Array.from(text.matchAll(words), ([name]) => name)
          .filter((name) => !path.startsWith(folderOf.get(name)!))
          .map((name) => `${path}: ${name} in '${text.slice(0, 60)}'`),
      ),
    );
    expect(elsewhere).toEqual([]);
  });
});
