import { expect, it } from "vitest";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { readTable } from "../table/disk/index.js";
import { preparePeople } from "../table/index.js";
import { worstExcess } from "../testing/check.js";
import { dataFile, describeData } from "../testing/data.js";
import { cluster } from "./cluster.js";

const columns: Record<string, { features: string[]; protect: string[] }> = {
  bank: { features: ["age", "balance", "duration"], protect: ["marital", "default"] },
  adult: { features: ["age", "education-num", "capital-gain", "hours-per-week"], protect: ["sex", "race"] },
  recruitment: { features: ["age", "ind-university_grade", "ind-languages"], protect: ["gender", "ind-degree"] },
};

describeData("the papers' public data, rows on five parties", () => {
  it.each(Object.keys(columns))(
    "%s: fair, and at most one per cent above the solver that sees columns",
    async (name) => {
      const { features, protect } = columns[name];
      const table = await readTable(dataFile(`${name}.csv.gz`), { columns: [...features, ...protect] });
      const people = preparePeople(table, { features, protect });
      const asked = { k: 4, delta: 0.2, seed: 1, algorithm: "f3km" } as const;
      const whole = await cluster(people, asked);
      const split = await cluster(people, { ...asked, split: "rows", parties: 5 });
      const bounds = resolveBounds(people.attributes, { delta: 0.2 });
      expect(split.result.fair).toBe(true);
      expect(worstExcess(people, bounds, split.labels, 4)).toBeLessThanOrEqual(1 + 1e-8);
      expect(split.result.sse).toBeLessThanOrEqual(1.01 * whole.result.sse);
    },
  );
});
