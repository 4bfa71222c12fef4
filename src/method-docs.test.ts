import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { algorithms, methodOf } from "./algorithms/catalogue.js";
import { asFlags } from "./cli/flags.js";
import { methodNames, trainingMethodOf } from "./learning/catalogue.js";

const reference = readFileSync(new URL("../docs/reference/command-line.md", import.meta.url), "utf8");

/** A row of a table in Markdown. */
function row(...cells: readonly (string | readonly string[])[]): string {
  return `| ${cells.map((cell) => (typeof cell === "string" ? cell : cell.join(", ")) || "–").join(" | ")} |`;
}

const flag = (option: string) => `\`${asFlags(`\`${option}\``)}\``;

// The tables below are those of docs/reference/command-line.md: where they differ, copy what the test expects.

it("the reference says of every clusterer what its descriptor says", () => {
  const rows = algorithms.map(({ name, splits, federated, promises, private: noise, options }) => {
    const { rows } = methodOf(name);
    const perParty = rows && !rows.countsAreNoisy ? [`${rows.minCount}, ${rows.protections.join(" or ")}`] : [];
    const words = { never: "", always: "always", "with epsilon": "with `--epsilon`" };
    return row(name, splits, federated, promises, perParty, words[noise], options.map(flag));
  });
  expect(reference).toContain(
    [
      row(
        "algorithm",
        "works on",
        "in federations",
        "promises",
        "rows: `--min-count`, `--protection`",
        "private",
        "its own options",
      ),
      row(...Array.from({ length: 7 }, () => "---")),
      ...rows,
    ].join("\n"),
  );
});

it("the reference says of every training method what its descriptor says", () => {
  const rows = methodNames.map((name) => {
    const { fairness, options } = trainingMethodOf(name);
    const own = Object.entries(options).map(([option, { usual }]) => `\`${asFlags(`\`${option}: ${usual}\``)}\``);
    return row(name, fairness, own);
  });
  expect(reference).toContain(
    [row("algorithm", "`--fairness`, the default first", "its own options"), row("---", "---", "---"), ...rows].join(
      "\n",
    ),
  );
});
