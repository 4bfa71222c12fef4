import type { Command } from "commander";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { collectAtOnce } from "../federation/garbage-collector.js";
import { addKitOption, loadKit, withState } from "./kits.js";
import { addLogOptions, type LogFlags, logTo } from "./logging.js";
import { addPageOptions, localPorts, loginOf, type PageFlags, whileShown } from "./pages.js";
import type { Session } from "./session.js";

interface CoordinatorFlags extends LogFlags, PageFlags {
  readonly kit: string;
  readonly state?: string;
  readonly host?: string;
  readonly port?: number;
}

const example = `
Example:
  $ moiety coordinator --kit kits/coordinator --page 127.0.0.1:8080`;

export function define(command: Command, session: Session): void {
  const options = addLogOptions(addKitOption(command, "the coordinator"))
    .option("--state <folder>", "folder for state that survives restarts (default: state in the kit)")
    .option("--host <address>", "where to listen (default: 0.0.0.0)")
    .option("--port <number>", "the port to listen on (default: the one in the kits)");
  addPageOptions(options)
    .addHelpText("after", example)
    .action((flags: CoordinatorFlags) => run(flags, session));
}

async function run(flags: CoordinatorFlags, session: Session): Promise<void> {
  collectAtOnce();
  const ports = localPorts(flags);
  const [{ listeningOf }, { CoordinatorService }, { RecentLines }] = await Promise.all([
    import("../federation/transport/endpoints.js"),
    import("../federation/coordinator/service.js"),
    import("../pages/recent-lines.js"),
  ]);
  const kit = await loadKit(flags.kit, "coordinator");
  const clock = () => Date.now();
  const said = logTo(process.stderr, "coordinator", flags);
  const lines = new RecentLines(clock);
  const [log, refused] = [lines.of(said), lines.of(said, true)];
  const listening = listeningOf(kit, { log: refused, ...defined({ host: flags.host, port: flags.port }) });
  const login = await loginOf(flags, log);
  await withState(kit, flags.state, log, async (store, audit) => {
    const service = new CoordinatorService({ kit, listening, store, audit, clock, log, refused });
    const shown = {
      log,
      page: async (port: number) =>
        (await import("../pages/coordinator-page.js")).serveCoordinator(service, lines, port, login),
      monitored: async () => (await import("../pages/metrics.js")).monitoredCoordinator(service),
    };
    await session.interruption.during(async (signal) => {
      log(`listening on port ${await service.start()}`);
      await whileShown(ports, shown, async () => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      });
      await service.stop();
      throw new MoietyError("cancelled", "stopped; what was done so far is kept, and a restart goes on from there");
    });
  });
}
