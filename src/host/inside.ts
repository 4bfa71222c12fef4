/** What a thread knows of where it runs; see index.ts for how the browser's takes the place of Node's. */
export { answer, serve } from "./inside-node.js";
