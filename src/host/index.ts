/**
 * The host of this build: `node.ts`, or `browser.ts` for browsers. package.json says so under "imports", which our build and all
 * bundlers follow. Deno and Bun have what Node has.
 */
export { host } from "#host";
export type { Thread } from "./types.js";
