import { readFileSync } from "node:fs";

/** From package.json, two folders up in src/ and in dist/ alike. */
export const version = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;
