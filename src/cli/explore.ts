import type { Command } from "commander";
import { defined } from "../defined.js";
import { isEngineAddress, repeatedAddress } from "../engines/address.js";
import { MoietyError } from "../errors.js";
import { isStandardInput, openSource } from "../table/disk/index.js";
import { scannedDescription } from "./columns.js";
import { ledgerOption, openLedger } from "./ledger.js";
import { showPage } from "./pages.js";
import { operatingSystem } from "./private.js";
import type { Session } from "./session.js";
import { number } from "./values.js";

interface ExploreFlags {
  readonly open: boolean;
  readonly port?: number;
  readonly link?: string;
  readonly ledger?: string;
}

const example = `
The page is served to this machine alone, and its address has a token: without it nobody is answered. Ctrl-C ends it.

Example:
  $ moiety explore people.csv`;

export function define(command: Command, session: Session): void {
  command
    .argument("[source]", scannedDescription)
    .option("--port <number>", "the port of 127.0.0.1 to listen on (default: any that is free)", number("--port"))
    .option("--link <link>", "settings that somebody shared: the link that the page gave them")
    .option(...ledgerOption)
    .option("--no-open", "do not open the page in a browser")
    .addHelpText("after", example)
    .action((source: string | undefined, flags: ExploreFlags) => run(source, flags, session));
}

async function run(source: string | undefined, flags: ExploreFlags, session: Session): Promise<void> {
  const [{ serveExplore }, { readSource }, { isStreamed }] = await Promise.all([
    import("../explore/server.js"),
    import("../engines/read-source.js"),
    import("../engines/streamed/memory.js"),
  ]);
  const settings = flags.link === undefined ? undefined : settingsIn(flags.link);
  // A file that is not there is refused now; what is in it, the page says.
  if (source !== undefined && !isStandardInput(source) && !isEngineAddress(source)) await openSource(source);
  const serve = () =>
    serveExplore({
      ...defined({ source, port: flags.port, settings }),
      private: {
        noise: operatingSystem,
        openLedger: (dataset) => openLedger(dataset, flags.ledger),
        ...defined({ ledger: flags.ledger }),
      },
      read: readSource,
      called: async (place) =>
        isEngineAddress(place)
          ? { name: repeatedAddress(place), inEngine: true, inMemory: true }
          : { name: place, inEngine: false, inMemory: await isStreamed(place) },
    });
  await showPage(serve, flags, session, "stopped; nothing is kept of what the page showed");
}

/** What stands behind the # of a link; where it led to does not matter. */
function settingsIn(link: string): string {
  const settings = new URLSearchParams(link.slice(link.indexOf("#") + 1)).get("settings");
  if (settings !== null) return settings;
  throw new MoietyError("usage", "the link of `link` has no settings in it: copy it from the end of the explore page");
}
