import type { Command } from "commander";
import { algorithms } from "../algorithms/catalogue.js";
import { methods } from "../learning/catalogue.js";
import { algorithmsReport } from "../report/algorithms.js";
import { asFlags } from "./flags.js";
import { print, printJson } from "./session.js";

/** For moiety cluster, and for moiety train. */
const all = [...algorithms, ...methods].map((method) => ({
  ...method,
  summary: asFlags(method.summary),
  paper: asFlags(method.paper),
}));

const example = `
Example:
  $ moiety algorithms`;

export function define(command: Command): void {
  command
    .option("--json", "print the list as JSON")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", example)
    .action(({ json }: { json?: boolean }) => (json ? printJson(all) : print(algorithmsReport(all))));
}
