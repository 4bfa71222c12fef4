import { parse, YAMLParseError } from "yaml";
import type { z } from "zod";
import { MoietyError } from "../errors.js";

/** A YAML text of the given shape. Throws "input" in one line that names the place, and quotes no value. */
export function parseYaml<Shape extends z.ZodType>(schema: Shape, text: string, source: string): z.infer<Shape> {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0, prettyErrors: true });
  } catch (error) {
    const at = error instanceof YAMLParseError && error.linePos ? `, line ${error.linePos[0].line}` : "";
    throw new MoietyError("input", `${source} is not YAML${at}: repair it, or name another file`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown =
    issue?.code === "unrecognized_keys" ? `unknown ${issue.keys.map((key) => `'${key}'`).join(", ")}` : "";
  const place = issue && issue.path.length > 0 ? ` at ${issue.path.join(".")}` : "";
  throw new MoietyError("input", `${source} cannot be used${place}: ${unknown || (issue?.message ?? "wrong shape")}`);
}
