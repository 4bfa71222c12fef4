import { expect, it } from "vitest";
import type { JobRecord } from "./job.js";
import { SiteTimes, siteViews } from "./site-views.js";

const parties = ["a", "b", "c"].map((name) => ({ name, features: [], categorical: [], protect: [] }));

function views(change: Partial<JobRecord>, times: SiteTimes, situation: { gone?: string; aligning?: boolean } = {}) {
  const record = { card: { parties }, consents: {}, epoch: 0, state: { is: "running" }, ...change } as JobRecord;
  const { gone, aligning = false } = situation;
  return siteViews({ record, times, connected: (name) => name !== gone, aligning, progress: !aligning });
}

it("names whom a job waits for, for what, and since when, however often the list changes", () => {
  let now = 1000;
  const times = new SiteTimes(() => now);
  times.wait(["a", "b", "c"], now);
  now = 5000;
  times.wait(["b", "c"], now);
  const state = { is: "waiting", for: ["b", "c"], reason: "" } as const;
  const [a, b, c] = views({ state, consents: { a: "signed" } }, times, { gone: "c" });
  expect(a).toMatchObject({ stage: "agreed", waitedFor: null, waitedForSince: null });
  expect(b).toMatchObject({ stage: "consent", waitedFor: "approval", waitedForSince: new Date(1000).toISOString() });
  expect(c).toMatchObject({ connected: false, waitedFor: "connection" });
  // Who was there in between is waited for from when it was missed again.
  times.wait([], now);
  times.wait(["c"], 9000);
  expect(times.waitedSince("c")).toBe(9000);
});

it("says who has refused and why, and who is left out of a run", () => {
  const times = new SiteTimes(() => 0);
  const refused = views({ state: { is: "failed", reason: "" }, refusals: { b: "not for this purpose" } }, times);
  expect(refused.map(({ stage, reason }) => [stage, reason])).toEqual([
    ["ended", null],
    ["refused", "not for this purpose"],
    ["ended", null],
  ]);
  const consents = { a: "", b: "", c: "" };
  const running = views({ state: { is: "running", without: ["c"] }, consents, epoch: 2 }, times);
  expect(running.map(({ stage }) => stage)).toEqual(["running", "running", "left"]);
  expect(views({ consents, epoch: 1 }, times, { aligning: true })[0].stage).toBe("aligning");
  expect(views({ consents, state: { is: "done" } }, times)[0].stage).toBe("finished");
});

it("calls a site slow when the others wait for it, and an answer missing when it is long overdue", () => {
  let now = 0;
  const times = new SiteTimes(() => now);
  const [a, b] = [times.ask("a"), times.ask("b")];
  now = 1000;
  a();
  expect(times.answerDueSince("b")).toBeUndefined();
  now = 6000;
  expect(times.answerDueSince("b")).toBe(0);
  expect(times.isSlow("b")).toBe(false);
  b();
  expect([times.isSlow("a"), times.isSlow("b"), times.total("b")]).toEqual([false, true, 6000]);
  times.begin();
  expect(times.isSlow("b")).toBe(false);
});
