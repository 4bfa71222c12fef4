/** The thread's side of a `Thread`: it gets messages and answers them. See index.ts for how the browser's takes the place of Node's. */
export { answer, serve } from "#host-thread";
