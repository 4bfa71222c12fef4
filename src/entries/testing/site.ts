import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

/** Serves the scripts of a folder to a page that starts `worker.js`, isolated from other origins or not. */
export async function serve(folder: string, isolated: boolean): Promise<{ address: string; close: () => void }> {
  const headers = isolated
    ? { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" }
    : {};
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").slice(1);
    if (path === "") return response.writeHead(200, { "Content-Type": "text/html", ...headers }).end("<!doctype html>");
    const script = await readFile(join(folder, path)).catch(() => undefined);
    if (script === undefined) return response.writeHead(404, headers).end();
    return response.writeHead(200, { "Content-Type": "text/javascript", ...headers }).end(script);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
