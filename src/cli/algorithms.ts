import type { Command } from "commander";
import { algorithms } from "../algorithms/catalogue.js";
import { methods } from "../learning/catalogue.js";
import { algorithmsReport } from "../report/algorithms.js";
import { asFlags } from "./flags.js";
import { printResult } from "./session.js";

/** The methods of moiety cluster, and those of moiety train. */
const all = [...algorithms, ...methods].map((method) => ({
  ...method,
  summary: asFlags(method.summary),
  paper: asFlags(method.paper),
}));

export function define(command: Command): void {
  command
    .option("--json", "print the list as JSON")
    .addHelpText("after", "\nExample:\n  $ moiety algorithms")
    .action((flags: { readonly json?: boolean }) => printResult(flags, all, algorithmsReport(all)));
}
