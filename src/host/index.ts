/**
 * The host of this build. For browsers another file takes the place of `node.js`: package.json says so under "browser", which
 * our build and all bundlers follow. Deno and Bun have what Node has.
 */
export { host } from "./node.js";
export type { Thread } from "./types.js";
