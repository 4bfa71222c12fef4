import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MoietyError } from "../errors.js";
import { readTable } from "../table/disk/index.js";
import { Exploration, type ReadSource } from "./exploration.js";
import type { PageFailure, PageQuestion } from "./questions.js";
import { pack, unpack } from "./wire.js";

/** What the page is made of. The path holds for src/ and for dist/. */
const parts = fileURLToPath(new URL("../../dist/web/", import.meta.url));
const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html" };
/** Tables of so many tabs are held at a time. */
const mostTabs = 8;
/** A file that is dropped on the page goes through memory; larger ones are named by their path. */
const largestFile = 2 ** 31;
const largestQuestion = 2 ** 22;

/** Pages that share memory with their threads must be alone; nothing may be loaded but from here. */
const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
};

export interface ExploreServer {
  /** The page, with its token behind the #: browsers do not send that part to anybody. */
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the explore page to this machine alone. Whoever asks needs the token of the address; nobody else's page is answered. */
export async function serveExplore(
  options: { readonly port?: number; readonly source?: string } = {},
): Promise<ExploreServer> {
  const token = randomBytes(24).toString("base64url");
  const folder = await mkdtemp(join(tmpdir(), "moiety-explore-"));
  const tabs = new Map<string, Exploration>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, headers);
      response.end(pack({ failure: failureOf(error) }));
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      failed(
        new MoietyError("usage", `port ${options.port} cannot be used (${cause.code}): choose another \`port\``, {
          cause,
        }),
      ),
    );
    server.listen(options.port ?? 0, "127.0.0.1", listening);
  });
  const { port } = server.address() as { port: number };
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const opening = options.source === undefined ? "" : `&${new URLSearchParams({ source: options.source })}`;
  return {
    address: `http://127.0.0.1:${port}/#token=${token}${opening}`,
    close: () => close(server, folder),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "", origin } = request.headers;
    // Another name for this machine, or another page, is somebody else's doing.
    if (!hosts.includes(host) || (origin !== undefined && !hosts.includes(origin.replace(/^http:\/\//, "")))) {
      return refuse(response, 403, "this server answers its own page only");
    }
    const url = new URL(request.url ?? "/", `http://${host}`);
    if (request.method === "GET") return give(url.pathname, response);
    if (!isToken(request.headers["x-moiety-token"], token)) {
      return refuse(response, 401, "the token is missing or wrong: open the address that moiety explore printed");
    }
    if (request.method === "PUT" && url.pathname === "/file") return keep(request, response, url);
    if (request.method === "POST" && url.pathname === "/ask") return ask(request, response);
    return refuse(response, 404, "there is nothing here");
  }

  /** A file of the page. */
  async function give(path: string, response: ServerResponse): Promise<void> {
    const name = path === "/" ? "index.html" : basename(path);
    const content = await readFile(join(parts, name)).catch(() => undefined);
    const type = types[extname(name)];
    if (content === undefined || type === undefined) return refuse(response, 404, "there is nothing here");
    response.writeHead(200, { ...headers, "Content-Type": `${type}; charset=utf-8` });
    if (name !== "index.html") return void response.end(content);
    // The page asks this server rather than a worker, and its policy is that of the headers.
    const served = content
      .toString()
      .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '<meta name="moiety-server" content="">');
    response.end(served);
  }

  /** A file that was dropped on the page, kept until the server ends. */
  async function keep(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const bytes = await bodyOf(request, largestFile);
    const place = join(
      folder,
      `${randomBytes(6).toString("hex")}-${basename(url.searchParams.get("name") ?? "table.csv")}`,
    );
    await writeFile(place, bytes, { mode: 0o600 });
    response.writeHead(200, { ...headers, "Content-Type": "application/json" }).end(pack({ place }));
  }

  /** Progress as it comes, then the answer or why there is none: one line of JSON each. Who goes away stops the work. */
  async function ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const question = unpack((await bodyOf(request, largestQuestion)).toString()) as PageQuestion;
    const controller = new AbortController();
    response.on("close", () => controller.abort());
    response.writeHead(200, { ...headers, "Content-Type": "application/x-ndjson" });
    const tell = (line: unknown) => response.write(`${pack(line)}\n`);
    try {
      const { signal } = controller;
      const exploration = explorationOf(String(request.headers["x-moiety-tab"]));
      tell({ answer: await exploration.answer(question, { signal, onProgress: (progress) => tell({ progress }) }) });
    } catch (error) {
      tell({ failure: failureOf(error) });
    }
    response.end();
  }

  function explorationOf(tab: string): Exploration {
    const known = tabs.get(tab) ?? new Exploration(readPlace);
    tabs.delete(tab);
    tabs.set(tab, known);
    for (const oldest of [...tabs.keys()].slice(0, -mostTabs)) tabs.delete(oldest);
    return known;
  }
}

/** Files are sent by themselves, and then opened by their place. */
const readPlace: ReadSource = async (source) => {
  if (source.kind === "place") return readTable(source.place);
  throw new MoietyError("usage", "a file must be sent before it is opened");
};

function isToken(given: string | string[] | undefined, token: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { ...headers, "Content-Type": "application/json" });
  response.end(pack({ failure: { code: "usage", message } satisfies PageFailure }));
}

async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw new MoietyError("input", "this is more than a page may send: name the file by its path");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failureOf(error: unknown): PageFailure {
  if (error instanceof MoietyError) return { code: error.code, message: error.message };
  return { code: "failed", message: "the engine failed in a way that is nobody's input" };
}

async function close(server: Server, folder: string): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((closed) => server.close(() => closed()));
  await rm(folder, { recursive: true, force: true });
}
