// Slow: six classifiers are trained, until each settles.
import { expect, it } from "vitest";
import { generateTable } from "../table/index.js";
import { trainClassifier } from "./classifier.js";
import { trainCommand } from "./repeat.js";

it("learns all values of a label where none is named, and its model and its command say the same", async () => {
  const columns = { id: "person", protect: ["sex"], features: ["hours", "income"] };
  const asked = { label: "housing", protect: "sex", fairness: "dp", seed: 1, dropMissing: false } as const;
  const { parts, model } = await trainClassifier(generateTable("people", { n: 150 }), columns, asked, {});
  const { sections } = parts({ source: "people.csv", command: "moiety explore", made: "2026-01-01T00:00:00Z" });
  const shown = sections.map(({ content }) => String(content)).join("");
  expect(shown).toContain("Class by class");
  const classes = ["family", "mortgage", "own", "rent"];
  for (const name of classes) expect(shown).toContain(name);
  expect(model()).toMatchObject({ label: { column: "housing", classes } });
  expect(trainCommand({ name: "people.csv" }, columns, asked)).not.toContain("--positive");
});
