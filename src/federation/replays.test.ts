import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { generateTable, preparePeople } from "../table/index.js";
import { MortalFederation } from "./testing/mortal.js";
import { dealtRows } from "./testing/simulated.js";
import { workplace } from "./testing/sites.js";

const names = ["p0", "p1", "p2"];
const people = preparePeople(generateTable("people", { n: 600, seed: 3 }), {
  features: ["age", "hours"],
  protect: ["sex"],
  box: { age: [0, 100], hours: [0, 100] },
});
const groups = people.attributes[0].groups.map((group) => `"${group}"`).join(", ");
const policy = `approval: automatic
analysts: [alice]
algorithms: [dp-fair, fkm-plus]
features: [age, hours]
protect: [sex]
minimum: { rows: 10, clusterSize: 1 }
budget: { epsilon: 1000, delta: 0.001, jobs: 1000 }
`;
const federation = new MortalFederation(
  Object.fromEntries(names.map((name, at) => [name, { people: dealtRows(people, 3)[at], policy }])),
);

beforeAll(async () => {
  await federation.prepare(join(workplace(), "kits"));
  await federation.startAll();
});

const job = (request: string, protect = "sex") =>
  `${request}\nsplit: rows\nk: 2\ncomponents: 4\nbox: { age: [0, 100], hours: [0, 100] }\nparties:\n${names
    .map((name) => `  ${name}: { features: [age, hours], protect: [${protect}] }`)
    .join("\n")}\n`;
const fair = (more: string) => job(`algorithm: dp-fair\nepsilon: 1\ngroups: { sex: [${groups}] }\n${more}`);
const requests = [
  ["dp-fair", fair("private: attribute")],
  ["dp-fair of all", fair("private: all")],
  ["private fkm-plus", job("algorithm: fkm-plus\nepsilon: 8", "")],
] as const;

describe.each(requests)("a finished job that its coordinator sets back: %s", (_, request) => {
  it.each(["waiting", "running"] as const)("to %s is not begun again, and tells nothing new", async (is) => {
    const id = await federation.submit(request);
    expect(await federation.end(id)).toMatchObject({ state: "done" });
    const first = await federation.released(id);
    await federation.untilReleased(id);
    const others: unknown[] = [];
    for (let again = 0; again < 2; again++) {
      federation.kill("coordinator");
      await federation.rewrite(id, ({ facts: _facts, ...record }) => ({
        ...record,
        state: is === "waiting" ? { is, for: names, reason: "not asked yet" } : { is },
        position: null,
        released: [],
      }));
      await federation.start("coordinator");
      const { state } = await federation.end(id);
      if (state === "done") others.push(await federation.released(id));
    }
    for (const name of names) {
      const { hash } = await federation.record(id);
      expect(federation.spent(name).filter((what) => what.includes(hash))).toHaveLength(1);
    }
    expect([first, ...others]).toEqual([first]);
  });
});
