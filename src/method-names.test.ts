import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { methods } from "./algorithms/catalogue.js";
import { methodNames } from "./learning/catalogue.js";

const root = dirname(fileURLToPath(import.meta.url));

/**
 * What a method can do stands in its folder. Tests and what only they use may name methods, and so may benchmarks, which
 * are about single methods by nature (bench/ is no part of the product).
 */
const folders = [
  ...methods.map(({ name }) => ({ name, folder: `algorithms/${name}/` })),
  ...methodNames.map((name) => ({ name, folder: `learning/methods/${name}/` })),
];

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|(^|\/)testing\//.test(path));

/** Comments, texts between quotes, imported modules, regular expressions, and the marks that templates are made of. */
const tokens =
  /\/\*[\s\S]*?\*\/|\/\/.*|\bfrom "[^"]+"|\bimport\("[^"]+"\)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=(?:[(,=:!&|?[{;>]|return)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[`{}]/g;
const inTemplate = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

/** The texts of a source between quotes, but for the modules that it imports. */
function textsIn(code: string): string[] {
  const texts: string[] = [];
  /** For each template that is open: the braces that are open in the expression of it that is read. */
  const open: number[] = [];
  const readTemplate = (from: number) => {
    inTemplate.lastIndex = from;
    const [text] = inTemplate.exec(code)!;
    texts.push(text);
    if (text.endsWith("`")) open.pop();
    else open[open.length - 1] = 0;
    tokens.lastIndex = inTemplate.lastIndex;
  };
  tokens.lastIndex = 0;
  for (let found = tokens.exec(code); found; found = tokens.exec(code)) {
    const [token] = found;
    if (token === "`") {
      open.push(0);
      readTemplate(tokens.lastIndex);
    } else if (token === "{") open[open.length - 1]++;
    else if (token === "}") {
      if (open.length > 0 && open[open.length - 1]-- === 0) readTemplate(tokens.lastIndex);
    } else if (/^["']/.test(token)) texts.push(token.slice(1, -1));
  }
  return texts;
}

describe("a method's name", () => {
  it("is looked for in all texts", () => {
    const code = `import { a } from "./a.js"; // "b"\nf("c", /"d/, \`e \${g({ h: \`i \${"j"}\` })} k\`, 'l'); import("./m.js")`;
    expect(textsIn(code).map((text) => text.replace(/`|\$\{$/, "").trim())).toEqual(["c", "e", "i", "j", "", "k", "l"]);
  });

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
      textsIn(readFileSync(join(root, path), "utf8")).flatMap((text) =>
        Array.from(text.matchAll(words), ([name]) => name)
          .filter((name) => !path.startsWith(folderOf.get(name)!))
          .map((name) => `${path}: ${name} in '${text.slice(0, 60)}'`),
      ),
    );
    expect(elsewhere).toEqual([]);
  });
});
