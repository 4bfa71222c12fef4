import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveBounds } from "../../constraints/feasibility-bounds.js";
import { renderFederatedReport } from "../../report/federated-page.js";
import { peopleOf } from "../../testing/people.js";
import { cardOf } from "../consent/card.js";
import { partOf, suppress } from "./part.js";
import { summarise } from "./summary.js";

const tables = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 5 }))
  .chain(([groups, k]) =>
    fc.array(fc.array(fc.nat(30), { minLength: k, maxLength: k }), { minLength: groups, maxLength: groups }),
  );

describe("shares of few people", () => {
  it("are left out, and no line gives one away by subtraction", () => {
    fc.assert(
      fc.property(tables, (counts) => {
        const hidden = suppress(counts, 5);
        counts.forEach((clusters, l) => {
          clusters.forEach((count, m) => {
            if (count > 0 && count < 5) expect(hidden[l][m]).toBe(true);
          });
        });
        const lines = [
          ...counts.map((clusters, l) => clusters.map((count, m) => ({ count, gone: hidden[l][m] }))),
          ...counts[0].map((_, m) => counts.map((clusters, l) => ({ count: clusters[m], gone: hidden[l][m] }))),
        ];
        for (const line of lines) {
          const shown = line.filter(({ gone, count }) => !gone && count > 0);
          // A lone gap stays only where nothing else could be hidden with it.
          if (line.filter(({ gone }) => gone).length === 1) expect(shown.length).toBe(0);
        }
      }),
    );
    expect(
      suppress(
        [
          [10, 20],
          [30, 40],
        ],
        5,
      ).flat(),
    ).toEqual([false, false, false, false]);
  });
});

describe("a group that is too small to be shown", () => {
  const codes = Array.from({ length: 60 }, (_, i) => (i < 3 ? 2 : i % 2));
  const people = peopleOf([codes.map((_, i) => i % 7)], [codes]);
  const labels = Uint16Array.from(codes, (_, i) => i % 2);

  it("is in no part: neither its shares, nor the bounds that tell how many it has", () => {
    const bounds = resolveBounds(people.attributes, { delta: 0.2 });
    const told = { party: "a", people, labels, k: 2, bounds, journal: [] };
    const open = partOf({ ...told, smallest: 1 });
    expect(Object.keys(open.bounds["attribute 0"])).toEqual(["group 0", "group 1", "group 2"]);
    const part = partOf({ ...told, smallest: 5 });
    expect(part.groups["attribute 0"]["group 2"]).toEqual([null, null]);
    // Shares of all others together would give it away, so another one goes with it.
    expect(Object.keys(part.bounds["attribute 0"]).length).toBe(1);
    expect(part.bounds["attribute 0"]["group 2"]).toBeUndefined();
    expect(part.balance).toEqual([]);
  });

  it("is not in the report either", () => {
    const part = partOf({
      party: "a",
      people,
      labels,
      k: 2,
      bounds: resolveBounds(people.attributes, { delta: 0.2 }),
      smallest: 5,
      journal: [],
    });
    const submission = { federation: "test", analyst: "alice", nonce: "0".repeat(32) };
    const card = cardOf(
      "k: 2\nparties:\n  a: { features: [x], protect: [s] }\n  b: { features: [y] }",
      "job.yaml",
      submission,
    );
    const facts = {
      n: 60,
      iterations: 1,
      converged: true,
      unconstrainedSse: null,
      excess: 0,
      history: [],
      communication: { rounds: 1, bytesUp: 1, bytesDown: 1 },
      passes: 1,
      epochs: 1,
      seconds: { read: 0, seed: 0, solve: 0, total: 0 },
    };
    const result = summarise(card, "0".repeat(64), facts, [part]);
    const page = renderFederatedReport({ result, history: [], card, made: "today" });
    expect(result.warnings.join()).toMatch(/a leaves out shares of groups with fewer than 5 people/);
    const row = /<bdi>group 2<\/bdi>.*?<\/tr>/s.exec(page)![0];
    expect(row).not.toMatch(/\d%/);
  });
});
