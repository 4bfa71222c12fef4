import fc from "fast-check";
import { expect, it } from "vitest";
import { readRecord } from "../store/records.js";
import { FaultyStore } from "../testing/faulty-store.js";
import { createJob, type JobRecord, type JobState, loadJobs } from "./job.js";
import { type JobContext, OpenJob } from "./open-job.js";

const hash = "a".repeat(64);
const record = {
  ...{ hash, signature: "", submitted: "2026-01-01T00:00:00.000Z", since: "", consents: {}, released: [] },
  ...{ epoch: 0, position: null, state: { is: "waiting", for: ["a"], reason: "not asked yet" } },
  card: { parties: [{ name: "a" }], deadlineHours: 1 },
} as unknown as JobRecord;

const changes = fc.oneof(
  fc.record({ epoch: fc.nat(9) }),
  fc.record({ position: fc.nat(9) }),
  fc.constantFrom<JobState>(
    { is: "running" },
    { is: "paused", for: ["a"], reason: "away" },
    { is: "failed", reason: "over" },
    { is: "done" },
  ),
);

it("what is known of a job and what the disk has of it never differ, whichever writes fail, and its end is final", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(changes, fc.boolean(), fc.boolean()), { maxLength: 12 }), async (steps) => {
      const store = new FaultyStore();
      const note = async () => undefined;
      const context = { store, clock: () => 0, log: () => undefined, audit: { note } } as unknown as JobContext;
      await createJob(store, record);
      const job = new OpenJob(record, context);
      let end: JobState | undefined;
      for (const [change, fails, together] of steps) {
        store.fault = () => (fails ? "ENOSPC" : undefined);
        const made = "is" in change ? job.enter(change) : job.save(change);
        const also = together ? job.save({ since: `${store.writes}` }) : undefined;
        await Promise.allSettled([made, also]);
        expect(await readRecord(store, `jobs/${hash}/record`)).toEqual(job.record);
        end ??= job.over ? job.record.state : undefined;
        if (end) expect(job.record.state).toEqual(end);
        if (job.over) expect(await store.before(`jobs/${hash}/record`)).toBeUndefined();
      }
    }),
  );
});

it("a job of which only the card was written was never taken: the same card may come again", async () => {
  const store = new FaultyStore();
  store.fault = (key) => (key.endsWith("/record") ? "ENOSPC" : undefined);
  await expect(createJob(store, record)).rejects.toThrow();
  expect(await loadJobs(store)).toEqual([]);
  store.fault = () => undefined;
  await createJob(store, record);
  expect(await loadJobs(store)).toEqual([{ hash, record }]);
});
