import { isNode, LineCounter, parse, parseDocument, YAMLParseError } from "yaml";
import type * as z from "zod";
import { MoietyError } from "../errors.js";
import { isReserved } from "../table/names.js";
import { wrongShape } from "../wrong-shape.js";

/** A YAML text of the given shape. Throws "input" in one line that names the place, and quotes no value. */
export function parseYaml<Shape extends z.ZodType>(schema: Shape, text: string, source: string): z.infer<Shape> {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0, prettyErrors: true });
  } catch (error) {
    const at = error instanceof YAMLParseError && error.linePos ? `, line ${error.linePos[0].line}` : "";
    throw new MoietyError("input", `${source} is not YAML${at}: repair it, or name another file`);
  }
  const reserved = reservedKey(value);
  if (reserved !== undefined) {
    throw new MoietyError("input", `${source} cannot be used: '${reserved}' cannot be a name; rename it`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue && issue.path.length > 0 ? ` at ${issue.path.join(".")}` : "";
  const line = issue
    ? lineOf(text, issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]] : issue.path)
    : "";
  const place = `${at}${line}`;
  throw new MoietyError("input", `${source} cannot be used${place}: ${wrongShape(issue)}`);
}

/** Where in a text a value stands, or the nearest one around it: ", line 7". */
function lineOf(text: string, path: readonly PropertyKey[]): string {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return `, line ${lineCounter.linePos(node.range[0]).line}`;
  }
  return "";
}

/** Some key, at any depth, that every object answers to. */
export function reservedKey(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const key of Object.keys(value)) {
    if (!Array.isArray(value) && isReserved(key)) return key;
    const below = reservedKey((value as Record<string, unknown>)[key]);
    if (below !== undefined) return below;
  }
  return undefined;
}
