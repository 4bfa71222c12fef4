import { realpath, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { MoietyError } from "../errors.js";
import { checkWritable, type People, writeAtomically, writeLabels } from "../table/index.js";

/** A file to be written at the end of a run, first under another name. */
export interface Output {
  readonly path: string;
  readonly write: (temporaryPath: string) => Promise<void>;
}

/** Before a long run: refuses what could not be written after it, and what would overwrite its own input. */
export async function checkOutputs(
  paths: readonly (string | undefined)[],
  inputs: readonly (string | undefined)[] = [],
): Promise<void> {
  const read = new Set(await Promise.all(inputs.filter((path) => path !== undefined).map(samePlace)));
  const written = new Set<string>();
  for (const path of paths) {
    if (path === undefined) continue;
    const place = await samePlace(path);
    if (read.has(place))
      throw new MoietyError("usage", `${path} is read, and may not be overwritten: name another file`);
    if (written.has(place)) throw new MoietyError("usage", `two results cannot both be written to ${path}`);
    written.add(place);
    await checkWritable(path);
  }
}

/** One name for one file, whatever links lead there. */
function samePlace(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** All of the files or none: each takes its place only when all have been written. */
export async function writeOutputs(outputs: readonly Output[]): Promise<void> {
  if (outputs.length === 0) return;
  const [first, ...rest] = outputs;
  await writeAtomically(first.path, async (temporary) => {
    await first.write(temporary);
    await writeOutputs(rest);
  });
}

export function labelsOutput(path: string, people: Pick<People, "sourceRows" | "ids">, labels: Uint16Array): Output {
  return {
    path,
    async write(temporary) {
      // A terminal or a pipe is written to as it is.
      if (temporary === path) return writeLabels(path, people, labels);
      // The format goes by the name's ending, which may be a double one.
      const named = `${temporary}${/(\.[ct]sv)?\.[^.]*$/i.exec(path)?.[0] ?? ""}`;
      try {
        await writeLabels(named, people, labels);
        await rename(named, temporary);
      } catch (error) {
        await rm(named, { force: true });
        if (!(error instanceof MoietyError)) throw error;
        throw new MoietyError(error.code, error.message.replaceAll(named, path), { cause: error });
      }
    },
  };
}

export function jsonOutput(path: string, value: unknown): Output {
  return { path, write: (temporary) => writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`) };
}

export function textOutput(path: string, text: string): Output {
  return { path, write: (temporary) => writeFile(temporary, text) };
}
