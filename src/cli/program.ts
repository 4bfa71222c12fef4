import { Command, type CommanderError } from "commander";
import { version } from "../version.js";
import { addAlgorithms } from "./algorithms.js";
import { addAlign } from "./align.js";
import { addAudit } from "./audit.js";
import { addBench } from "./bench.js";
import { addBudget } from "./budget.js";
import { addCluster } from "./cluster.js";
import { addCoordinator } from "./coordinator.js";
import { addDemo } from "./demo.js";
import { addDescribe } from "./describe.js";
import { addEvaluate } from "./evaluate.js";
import { addGenerate } from "./generate.js";
import { addJob } from "./job.js";
import { addParty } from "./party.js";
import { addPredict } from "./predict.js";
import { addProvision } from "./provision.js";
import type { Session } from "./session.js";
import { addSweep } from "./sweep.js";
import { addTrain } from "./train.js";
import { usageError } from "./usage.js";

/** The whole command line. Each command has its own file, and adds itself. */
export async function buildProgram(session: Session): Promise<Command> {
  const program = new Command("moiety")
    .description("Fair clustering of people: every protected group gets its share of every cluster.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", "\nExample:\n  $ moiety cluster people.csv --k 5 --protect sex,region --labels labels.csv");
  addCluster(program, session);
  addDescribe(program, session);
  addSweep(program, session);
  addTrain(program, session);
  addPredict(program, session);
  addEvaluate(program, session);
  addGenerate(program, session);
  addAlign(program, session);
  addBudget(program);
  addAlgorithms(program);
  addProvision(program);
  addCoordinator(program, session);
  addParty(program, session);
  addJob(program, session);
  addAudit(program, session);
  addDemo(program, session);
  await addBench(program, session);
  rephraseErrors(program);
  return program;
}

/** Turns commander's own errors into ours: one line, the nearest name, exit code 2. */
function rephraseErrors(command: Command): void {
  command.showSuggestionAfterError(false);
  command.configureOutput({ outputError: () => undefined });
  command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0 || error.code === "commander.help") throw error;
    throw usageError(command, error);
  });
  for (const below of command.commands) rephraseErrors(below);
}
