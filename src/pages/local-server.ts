import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ErrorCode, MoietyError } from "../errors.js";
import { loginDoor, tokenDoor, type Visitor } from "./door.js";
import type { Login } from "./login.js";

/** What pages are made of. The path holds for src/ and for dist/. */
const parts = fileURLToPath(new URL("../../dist/web/", import.meta.url));
const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html" };

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

/** Why a page gets no answer. */
export interface PageFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One question of a page, and the ways to answer it. */
export interface PageExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** What the page sent to be let in. */
  readonly token: string;
  /** Who asks, where people log in. */
  readonly person: string | undefined;
  /** What was sent, at most so many bytes. */
  body(most: number): Promise<Buffer>;
  /** Begins the answer; what follows is written to the response. */
  begin(type: string): void;
  /** The whole answer, as JSON. */
  respond(answer: object): void;
}

export interface LocalServerOptions {
  /** The file of the page that is opened. */
  readonly page: string;
  /** The command that serves it, in messages. */
  readonly command: string;
  /** Of 127.0.0.1; default: any that is free. */
  readonly port?: number | undefined;
  /** Where people have to log in; else they need the address. */
  readonly login?: Login | undefined;
  /** What the page is told behind the # of its address. */
  readonly opening?: Readonly<Record<string, string>>;
  /** What can be asked, by method and path, such as "POST /ask". */
  readonly routes: Readonly<Record<string, (exchange: PageExchange) => Promise<void>>>;
}

export interface LocalServer {
  /** The page; without log-in with its token behind the #, which browsers send to nobody. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves a page to this machine alone. Whoever asks needs the token of the address, or of a log-in, in a header; other names of this
 * machine and other pages are refused, and there are no cookies, which all ports of a machine share.
 */
export async function serveLocally(options: LocalServerOptions): Promise<LocalServer> {
  const door = options.login ? loginDoor(options.login) : tokenDoor(options.command);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.end();
      else refuse(response, error instanceof MoietyError ? 400 : 500, failureOf(error));
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
  const hosts = door.names.map((name) => `${name}:${port}`);
  const hash = new URLSearchParams({ ...door.opening, ...options.opening });
  return {
    address: `http://${hosts[0]}/${hash.size > 0 ? `#${hash}` : ""}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "", origin } = request.headers;
    // Another name for this machine, or another page, is somebody else's doing.
    if (!hosts.includes(host) || (origin !== undefined && origin !== `http://${host}`)) {
      return refuse(response, 403, "this server answers its own page only");
    }
    const asks = request.url ?? "/";
    if (!URL.canParse(asks, `http://${host}`)) return refuse(response, 404, "there is nothing here");
    const url = new URL(asks, `http://${host}`);
    if (request.method === "GET") return give(url.pathname, response);
    const token = String(request.headers["x-moiety-token"]);
    const asked = `${request.method} ${url.pathname}`;
    const exchangeWith = ({ person }: Visitor): PageExchange => {
      const begin = (type: string) => void response.writeHead(200, { ...headers, "Content-Type": type });
      const respond = (answer: object) => {
        begin("application/json");
        response.end(JSON.stringify(answer));
      };
      return { request, response, url, token, person, body: (most) => bodyOf(request, most), begin, respond };
    };
    if (Object.hasOwn(door.routes, asked)) return door.routes[asked](exchangeWith({}));
    const visitor = door.visitor(token);
    if (!visitor) {
      const { message, login } = door.refusal;
      return refuse(response, 401, message, login);
    }
    if (!Object.hasOwn(options.routes, asked)) return refuse(response, 404, "there is nothing here");
    // What is still being told ends with the log-in.
    const end = () => response.destroy();
    visitor.over?.addEventListener("abort", end);
    response.on("close", () => visitor.over?.removeEventListener("abort", end));
    return options.routes[asked](exchangeWith(visitor));
  }

  /** A file of the page. */
  async function give(path: string, response: ServerResponse): Promise<void> {
    const name = path === "/" ? options.page : basename(path);
    const content = await readFile(join(parts, name)).catch(() => undefined);
    const type = types[extname(name)];
    if (content === undefined || type === undefined) return refuse(response, 404, "there is nothing here");
    response.writeHead(200, { ...headers, "Content-Type": `${type}; charset=utf-8` });
    if (name !== options.page) return void response.end(content);
    // The page asks this server rather than a worker, and its policy is that of the headers.
    const served = content
      .toString()
      .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '<meta name="moiety-server" content="">');
    response.end(served);
  }
}

export function failureOf(error: unknown): PageFailure {
  if (error instanceof MoietyError) return { code: error.code, message: error.message };
  return { code: "failed", message: "the engine failed in a way that is nobody's input" };
}

/** `login` tells the page that somebody has to log in. */
function refuse(response: ServerResponse, status: number, why: string | PageFailure, login = false): void {
  const failure = typeof why === "string" ? { code: "usage", message: why } : why;
  response.writeHead(status, { ...headers, "Content-Type": "application/json" });
  response.end(JSON.stringify({ failure, ...(login ? { login } : {}) }));
}

async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Whoever sends too much still gets an answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw new MoietyError("input", "this is more than a page may send: name the file by its path");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
