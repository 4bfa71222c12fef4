import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import { describeLeft, type Standing, usualDelta } from "../privacy/accounting/ledger.js";
import { guarantee } from "../privacy/accounting/loss.js";
import { type BudgetView, budgetReport } from "../report/budget.js";
import { loadKit } from "./kits.js";
import { ledgerOption, openLedger, openStore, siteLedger } from "./ledger.js";
import { printResult } from "./session.js";
import { choice } from "./values.js";

interface BudgetFlags {
  readonly epsilon?: number;
  readonly deltaDp?: number;
  readonly ledger?: string;
  readonly kit?: string;
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety budget set people.csv --epsilon 4 --delta-dp 1e-5
  $ moiety budget show people.csv
  $ moiety budget show --kit kits/bank-a`;

const actions = ["show", "set"] as const;

export function define(command: Command): void {
  command
    .argument("<action>", "show or set", choice("action", actions))
    .argument("[dataset]", "the file, or the name given with --dataset; without one, show lists all")
    .option("--epsilon <number>", "set: the limit for all releases together")
    .option("--delta-dp <number>", "set: the delta at which it is counted; 0 allows no Gaussian noise (default: 1e-5)")
    .option(...ledgerOption)
    .option(
      "--kit <folder>",
      "show: what private jobs of a federation have spent at this site; its policy sets the most",
    )
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((action: (typeof actions)[number], dataset: string | undefined, flags: BudgetFlags) =>
      action === "set" ? set(dataset, flags) : show(dataset, flags),
    );
}

async function set(dataset: string | undefined, flags: BudgetFlags): Promise<void> {
  if (flags.kit !== undefined) {
    throw new MoietyError("usage", "a site's policy sets its budget: write budget: { epsilon: 2 } in policy.yaml");
  }
  if (dataset === undefined)
    throw new MoietyError("usage", "name the dataset: moiety budget set people.csv --epsilon 4");
  if (flags.epsilon === undefined)
    throw new MoietyError("usage", "--epsilon is missing: give the budget, such as --epsilon 4");
  const ledger = await openLedger(dataset, flags.ledger);
  const standing = await ledger.setBudget({ epsilon: flags.epsilon, delta: flags.deltaDp ?? usualDelta });
  tell([viewOf(standing)], flags, dataset);
}

async function show(dataset: string | undefined, flags: BudgetFlags): Promise<void> {
  if (flags.epsilon !== undefined || flags.deltaDp !== undefined) {
    throw new MoietyError("usage", "show changes nothing: use moiety budget set to set a budget");
  }
  if (flags.kit !== undefined) {
    if (dataset !== undefined) throw new MoietyError("usage", "a kit has one budget: leave out the dataset, or --kit");
    const kit = await loadKit(flags.kit, "party");
    return tell([viewOf(await (await siteLedger(kit)).standing())], flags, kit.name);
  }
  const names = dataset === undefined ? await (await openStore(flags.ledger)).datasets() : [dataset];
  const views: BudgetView[] = [];
  for (const name of names) views.push(viewOf(await (await openLedger(name, flags.ledger)).standing()));
  tell(views, flags, dataset);
}

function tell(views: readonly BudgetView[], flags: BudgetFlags, dataset: string | undefined): void {
  const nothing = "Nothing has been released, and no budget is set.";
  const report = views.length === 0 ? nothing : views.map(budgetReport).join("\n\n");
  printResult(flags, dataset === undefined ? views : views[0], report);
}

function viewOf({ dataset, budget, spent, releases }: Standing): BudgetView {
  const delta = budget?.delta ?? usualDelta;
  const both = <T>(of: (loss: Standing["spent"]["person"]) => T) => ({
    attribute: of(spent.attribute),
    person: of(spent.person),
  });
  return {
    dataset,
    budget,
    delta,
    spent: both((loss) => guarantee(loss, delta).epsilon),
    left: budget && both((loss) => describeLeft(loss, budget)),
    releases: releases.map(({ time, neighbours, loss, what }) => ({
      time,
      neighbours,
      ...guarantee(loss, delta),
      what,
    })),
  };
}
