import { expect, it } from "vitest";
import { classifierPage } from "../report/classifier-page.js";
import { unfairLearning } from "./testing/examples.js";
import { train } from "./train.js";

const data = unfairLearning();

it("a training that is asked for it shows what the same net reaches in one place, and is the same model", async () => {
  const options = { fairness: "dp", parties: 3, rounds: 30, rate: 0.3, threads: 1 } as const;
  const [alone, both] = [await train(data, options), await train(data, { ...options, frontier: true })];
  expect(both.model).toEqual(alone.model);
  const { frontier, ...rest } = both.result;
  expect(rest).toEqual(alone.result);
  expect(frontier!.map(({ target }) => target)).toEqual([null, 0, 0.02, 0.05, 0.1]);
  expect(frontier![1].dpd).toBeLessThan(frontier![0].dpd! / 2);
  const { fairness: _, ...plain } = options;
  const inOnePlace = await train(data, { ...plain, parties: 1, algorithm: "fedavg" });
  expect(frontier![0]).toMatchObject({ accuracy: inOnePlace.result.accuracy, dpd: inOnePlace.result.dpd });
  const from = { made: "2026-01-01 12:00 UTC", command: "moiety train people.csv", source: "people.csv" };
  const page = classifierPage({ ...from, trained: both, data });
  expect(page).toContain("in one place");
  expect(classifierPage({ ...from, trained: alone, data })).not.toContain("in one place");
});
