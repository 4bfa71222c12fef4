import { spawn } from "node:child_process";
import type { Command } from "commander";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { sourceDescription } from "./columns.js";
import { print, type Session } from "./session.js";
import { number } from "./values.js";

interface ExploreFlags {
  readonly open: boolean;
  readonly port?: number;
}

const example = `
The page is served to this machine alone, and its address has a token: without it nobody is answered. Ctrl-C ends it.

Example:
  $ moiety explore people.csv`;

export function define(command: Command, session: Session): void {
  command
    .argument("[source]", sourceDescription)
    .option("--port <number>", "the port of 127.0.0.1 to listen on (default: any that is free)", number("--port"))
    .option("--no-open", "do not open the page in a browser")
    .addHelpText("after", example)
    .action((source: string | undefined, flags: ExploreFlags) => run(source, flags, session));
}

async function run(source: string | undefined, flags: ExploreFlags, session: Session): Promise<void> {
  const { serveExplore } = await import("../explore/server.js");
  await session.interruption.during(async (signal) => {
    const server = await serveExplore(defined({ source, port: flags.port }));
    try {
      print(server.address);
      process.stderr.write("moiety: serving the page to this machine; Ctrl-C ends it\n");
      if (flags.open) openPage(server.address);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    } finally {
      await server.close();
    }
    throw new MoietyError("cancelled", "stopped; nothing is kept of what the page showed");
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
