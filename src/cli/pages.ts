import { spawn } from "node:child_process";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import type { LocalServer } from "../pages/local-server.js";
import { print, type Session } from "./session.js";

export interface PageFlags {
  readonly page?: string;
}

/** `--page`, of processes that can show what they do. */
export function addPageOption(command: Command): Command {
  return command.option(
    "--page <address>",
    "serve a page to this machine alone, at 127.0.0.1:8080, say, and print its address; port 0 is any that is free",
  );
}

/** The port that `--page` names. Nobody else's machine is served: a page can be reached through a tunnel. */
export function pagePort({ page }: PageFlags): number | undefined {
  if (page === undefined) return undefined;
  const [, port] = /^(?:(?:127\.0\.0\.1|localhost):)?(\d{1,5})$/.exec(page) ?? [];
  if (port !== undefined && Number(port) <= 65_535) return Number(port);
  throw new MoietyError(
    "usage",
    `--page '${page}' is not an address that a page is served at: use 127.0.0.1 and a port up to 65535, such as 127.0.0.1:8080`,
  );
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
