import { existsSync } from "node:fs";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import type { CommandModule } from "./commands.js";
import type { Session } from "./session.js";

/** In a checkout, the build puts the benchmarks beside the commands. The package does not have them. */
const benchmarks = new URL("../bench/command.js", import.meta.url);

export async function define(command: Command, session: Session): Promise<void> {
  if (existsSync(benchmarks)) {
    const found: CommandModule = await import(benchmarks.href);
    return found.define(command, session);
  }
  command
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      const advice = "get the source code of moiety, and run npm run bench -- <name> there";
      throw new MoietyError("usage", `the benchmarks are not in the installed package: ${advice}`);
    });
}
