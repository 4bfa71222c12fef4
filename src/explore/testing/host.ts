import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The page as it was built. */
export const parts = fileURLToPath(new URL("../../../dist/web/", import.meta.url));
export const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
const types: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css", html: "text/html" };

/** The static page, from a host that sends headers for threads, or from one that cannot. */
export async function host(headers: Readonly<Record<string, string>>): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
    if (!existsSync(join(parts, name))) return response.writeHead(404).end();
    return response
      .writeHead(200, { "Content-Type": types[name.split(".").at(-1)!] ?? "text/plain", ...headers })
      .end(readFileSync(join(parts, name)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
