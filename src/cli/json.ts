import { readFile } from "node:fs/promises";
import { MoietyError } from "../errors.js";

/** Reads a small JSON file that an option names; `what` says in an error what it was to be. */
export async function readJson(what: string, path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ENOENT" ? "there is no such file" : (error.code ?? error.message);
    throw new MoietyError("input", `cannot read the ${what} ${path}: ${why}`, { cause: error });
  });
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words would quote the file, and somebody may have named a table of people by mistake.
    throw new MoietyError("input", `the ${what} ${path} is not JSON: name another file, or repair it`);
  }
}
