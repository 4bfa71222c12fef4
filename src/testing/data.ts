import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe } from "vitest";

/** The papers' public data: where MOIETY_DATA says, beside the project by default. */
export const dataFolder = resolve(process.env.MOIETY_DATA ?? join(import.meta.dirname, "../../../shared/data"));

export function dataFile(name: string): string {
  return join(dataFolder, name);
}

/** Tests on the papers' data, in files `*.data.test.ts`; where the data is absent they skip and say so. */
export const describeData: typeof describe = existsSync(dataFolder)
  ? describe
  : (((title: string, ...rest: []) =>
      describe.skip(`${title} (skipped: no data in ${dataFolder})`, ...rest)) as typeof describe);
