import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The product's sources, relative to src/: without tests and what only they use. */
export const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|(^|\/)testing\//.test(path));

/** The texts of a source between quotes, but for the modules that it imports. */
export function textsOf(path: string): string[] {
  return textsIn(readFileSync(`${root}/${path}`, "utf8"));
}

/** Comments, texts between quotes, imported modules, regular expressions, and the marks that templates are made of. */
const tokens =
  /\/\*[\s\S]*?\*\/|\/\/.*|\bfrom "[^"]+"|\bimport\("[^"]+"\)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=(?:[(,=:!&|?[{;>]|return)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[`{}]/g;
const inTemplate = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

export function textsIn(code: string): string[] {
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
