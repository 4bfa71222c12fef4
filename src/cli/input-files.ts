import { readFile } from "node:fs/promises";
import type { ZodType } from "zod";
import { MoietyError } from "../errors.js";
import { wrongShape } from "../wrong-shape.js";

/** A small file that an option or an argument names, as text; `what` says in an error what it was to be. */
export async function readText(what: string, path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ENOENT" ? "there is no such file" : (error.code ?? error.message);
    throw new MoietyError("input", `cannot read the ${what} ${path}: ${why}`, { cause: error });
  });
}

export async function readJson(what: string, path: string): Promise<unknown> {
  const text = await readText(what, path);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message would quote the file, and somebody may have named a table of people by mistake.
    throw new MoietyError("input", `the ${what} ${path} is not JSON: name another file, or repair it`);
  }
}

/** JSON of a given shape. Whether what it says fits the data is checked later. */
export async function readShape<T>(
  { what, holds, example }: { readonly what: string; readonly holds: string; readonly example: string },
  path: string,
  shape: ZodType<T>,
): Promise<T> {
  const parsed = shape.safeParse(await readJson(what, path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const { path: place } = issue;
  const where = place.length === 0 ? "" : ` at ${place.map(String).join(" > ")}`;
  throw new MoietyError("input", `${path} does not hold ${holds}${where}: ${wrongShape(issue)}; write ${example}`);
}
