import { spawn } from "node:child_process";
import type { Command } from "commander";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { Log } from "../federation/log.js";
import type { LocalServer } from "../pages/local-server.js";
import type { Login } from "../pages/login.js";
import type { Monitored } from "../pages/metrics.js";
import { readText } from "./input-files.js";
import { print, type Session } from "./session.js";

export interface PageFlags {
  readonly page?: string;
  readonly metrics?: string;
  readonly oidc?: string;
}

/** `--page` and `--metrics`, of processes that can show what they do. */
export function addPageOptions(command: Command): Command {
  const served = command.option(
    "--page <address>",
    "serve a page to this machine alone, at 127.0.0.1:8080, say, and print its address; port 0 is any that is free",
  );
  return addLoginOption(served).option(
    "--metrics <address>",
    "serve /metrics, in Prometheus' format, and /health to this machine alone, at 127.0.0.1:9464, say",
  );
}

export function addLoginOption(command: Command): Command {
  return command.option(
    "--oidc <file>",
    "let only people use the page who log in at a provider of OpenID Connect, and whom this file, as YAML, allows",
  );
}

/** The log-in that `--oidc` describes. What is wrong with its file is said now, and not when somebody wants to log in. */
export async function loginOf({ oidc }: Pick<PageFlags, "oidc">, log: Log): Promise<Login | undefined> {
  if (oidc === undefined) return undefined;
  const [{ parseOidc }, { Login }] = await Promise.all([
    import("../pages/oidc-settings.js"),
    import("../pages/login.js"),
  ]);
  const settings = parseOidc(await readText("log-in", oidc), oidc);
  return Login.load({ settings, secret: process.env.MOIETY_OIDC_SECRET || undefined, log });
}

/** The ports that `--page` and `--metrics` name. Nobody else's machine is served: they can be reached through a tunnel. */
export function localPorts({ page, metrics, oidc }: PageFlags): { readonly page?: number; readonly metrics?: number } {
  if (oidc !== undefined && page === undefined) {
    throw new MoietyError("usage", "--oidc is for people who use a page: add --page 127.0.0.1:8080, say");
  }
  return defined({ page: portOf("--page", page), metrics: portOf("--metrics", metrics) });
}

function portOf(option: string, address: string | undefined): number | undefined {
  if (address === undefined) return undefined;
  const [, port] = /^(?:(?:127\.0\.0\.1|localhost):)?(\d{1,5})$/.exec(address) ?? [];
  if (port !== undefined && Number(port) <= 65_535) return Number(port);
  throw new MoietyError(
    "usage",
    `${option} '${address}' is not an address of this machine: use 127.0.0.1 and a port up to 65535, such as 127.0.0.1:8080`,
  );
}

interface ServedParts {
  readonly page: (port: number) => Promise<LocalServer>;
  readonly monitored: () => Promise<Monitored>;
  readonly log: Log;
}

/** Does the work of a process, and serves meanwhile what its options ask for. */
export async function whileShown(
  ports: ReturnType<typeof localPorts>,
  { page, monitored, log }: ServedParts,
  work: () => Promise<void>,
): Promise<void> {
  const shown = ports.page === undefined ? undefined : await page(ports.page);
  if (shown) print(shown.address);
  const serve = async (port: number) => (await import("../pages/metrics.js")).serveMetrics(await monitored(), port);
  const numbers = ports.metrics === undefined ? undefined : await serve(ports.metrics);
  if (numbers) log(`serving /metrics and /health at 127.0.0.1:${numbers.port}`);
  await work().finally(() => Promise.all([shown?.close(), numbers?.close()]));
}

/** Serves a page until Ctrl-C, prints its address, and opens it where that is asked for. */
export async function showPage(
  serve: () => Promise<LocalServer>,
  { open }: { readonly open: boolean },
  session: Session,
  ending: string,
): Promise<void> {
  await session.interruption.during(async (signal) => {
    const server = await serve();
    try {
      print(server.address);
      process.stderr.write("moiety: serving the page to this machine; Ctrl-C ends it\n");
      if (open) openPage(server.address);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    } finally {
      await server.close();
    }
    throw new MoietyError("cancelled", ending);
  });
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Whoever has no browser here can still open the address that was printed. */
function openPage(address: string): void {
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const opener = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  opener.on("error", () => undefined);
  opener.unref();
}
