import { existsSync } from "node:fs";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import type { Session } from "./session.js";

/** In a checkout, the build puts the benchmarks beside the commands. The package does not have them. */
const benchmarks = new URL("../bench/command.js", import.meta.url);

interface Benchmarks {
  addBench(program: Command, session: Session): void;
}

export async function addBench(program: Command, session: Session): Promise<void> {
  if (existsSync(benchmarks)) {
    const { addBench: add }: Benchmarks = await import(benchmarks.href);
    add(program, session);
    return;
  }
  program
    .command("bench", { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      const advice = "get the source code of moiety, and run npm run bench -- <name> there";
      throw new MoietyError("usage", `the benchmarks are not in the installed package: ${advice}`);
    });
}
