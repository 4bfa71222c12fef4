import { formatCount } from "./format.js";
import { textTable } from "./table.js";

/** What the ledger of one dataset says, as `moiety budget show --json` prints it. Amounts are epsilons. */
export interface BudgetView {
  readonly dataset: string;
  readonly budget: { readonly epsilon: number; readonly delta: number } | null;
  /** The delta that spending is shown at. */
  readonly delta: number;
  readonly spent: { readonly attribute: number; readonly person: number };
  /** In words; null without a budget. */
  readonly left: { readonly attribute: string; readonly person: string } | null;
  readonly releases: readonly {
    readonly time: string;
    readonly neighbours: "attribute" | "person";
    readonly epsilon: number;
    readonly delta: number;
    readonly what: string;
  }[];
}

export function budgetReport({ dataset, budget, delta, spent, left, releases }: BudgetView): string {
  const lines = [
    `Privacy budget of ${dataset}`,
    budget === null
      ? "No budget is set: releases are recorded, and none is refused."
      : `Budget: epsilon ${budget.epsilon}${budget.delta > 0 ? ` at delta ${budget.delta}` : " exactly (delta 0)"}.`,
    "",
    textTable(["attribute", "person"] as const, [
      ["promise about", (whom) => (whom === "person" ? "a whole person" : "a person's protected attributes")],
      ["spent", (whom) => short(spent[whom]), "right"],
      ...(left === null ? [] : ([["left", (whom: keyof typeof left) => left[whom]]] as const)),
    ]),
    `Epsilons at delta ${delta}; what a release about persons means for their attributes is counted there too.`,
  ];
  if (releases.length === 0) return [...lines, "", "Nothing has been released."].join("\n");
  return [
    ...lines,
    "",
    `${formatCount(releases.length, "release", "releases")}:`,
    textTable(releases, [
      ["when", ({ time }) => time],
      ["about", ({ neighbours }) => neighbours],
      ["epsilon", ({ epsilon }) => short(epsilon), "right"],
      ["what", ({ what }) => what],
    ]),
  ].join("\n");
}

/** Rounded up: what was spent is never shown as less. */
function short(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : "inf";
  const digits = 10 ** Math.max(0, 3 - Math.floor(Math.log10(value)));
  return String(Math.ceil(value * digits - 1e-9) / digits);
}
