import { expect, it } from "vitest";
import type { JobView } from "../federation/coordinator/job.js";
import { JobLines } from "./job-lines.js";
import type { ProgressLine } from "./progress.js";

const site = (name: string, more: Partial<JobView["sites"][number]> = {}): JobView["sites"][number] => ({
  ...{ name, stage: "running", connected: true, waitedForSince: null, waitedFor: null },
  ...{ slow: false, answering: 0, reason: null, ...more },
});

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

const view = (more: Partial<JobView>): JobView => ({
  ...{ id: "3f2a91bc04de", algorithm: "f3km", k: 3, learns: false, analyst: "alice", parties: ["a", "b"] },
  ...{ submitted: at(0), state: "running", reason: null, since: at(0), heartbeat: at(100), deadline: at(9999) },
  ...{ epochs: 1, progress: null, aligning: null, sites: [site("a"), site("b")], ...more },
});

const pass = (number: number, phase: "seed" | "fair" = "fair") =>
  ({ phase, start: 0, starts: 1, pass: number, passes: 100, sse: 1, violation: 0 }) as const;

/** What is told of these views, one a second: lines, and what a terminal shows in between. */
function told(views: readonly JobView[], isDrawn: boolean) {
  const said: string[] = [];
  let now = 0;
  const progress = { isDrawn, stop: () => undefined, say: (text: string) => said.push(text) };
  const lines = new JobLines(
    progress as unknown as ProgressLine,
    (line) => said.push(line),
    () => now,
  );
  for (const each of views) {
    lines.tell(each);
    now += 1000;
  }
  return said;
}

it("tells a terminal of every pass, and of who is waited for", () => {
  const waited = site("b", { waitedFor: "answer", waitedForSince: at(96) });
  const views = [
    view({
      state: "waiting-for-b",
      reason: "b not connected",
      sites: [site("b", { waitedFor: "connection", waitedForSince: at(90) })],
    }),
    view({}),
    view({ aligning: { done: 1, total: 4 } }),
    view({ progress: pass(2, "seed") }),
    view({ progress: pass(3) }),
    view({ progress: pass(3), sites: [site("a"), waited] }),
    view({ progress: pass(20), sites: [site("a", { slow: true }), site("b")] }),
    view({ state: "done" }),
  ];
  expect(told(views, true)).toEqual([
    "job 3f2a91bc04de: waiting-for-b: b not connected",
    "waiting for b (connection)",
    "job 3f2a91bc04de: running",
    "sites read their data",
    "aligning ids, 25%",
    "placing centres, try 2",
    "making it fair, pass 3 of about 12",
    "making it fair, pass 3 of about 12; waiting for b (answer)",
    "making it fair, pass 20 of about 21; a is slow",
    "job 3f2a91bc04de: done",
  ]);
});

it("tells a pipe of every step, and now and then how far it is", () => {
  const passes = Array.from({ length: 40 }, (_, number) => view({ progress: pass(number + 1) }));
  expect(told([view({}), ...passes, view({ state: "done" })], false)).toEqual([
    "job 3f2a91bc04de: running",
    "job 3f2a91bc04de: sites read their data",
    "job 3f2a91bc04de: making it fair, pass 1 of about 12",
    "job 3f2a91bc04de: making it fair, pass 6 of about 12",
    "job 3f2a91bc04de: making it fair, pass 16 of about 17",
    "job 3f2a91bc04de: making it fair, pass 36 of about 37",
    "job 3f2a91bc04de: done",
  ]);
});

it("tells a pipe for how long a site was waited for", () => {
  const waited = site("b", { waitedFor: "answer", waitedForSince: at(96) });
  expect(told([view({ progress: pass(3), sites: [site("a"), waited] })], false)).toEqual([
    "job 3f2a91bc04de: running",
    "job 3f2a91bc04de: making it fair, pass 3 of about 12; waiting for b (answer) for 4.0 s",
  ]);
});

it("tells a pipe that waits for a person of changes alone", () => {
  const waiting = Array.from({ length: 30 }, (_, second) =>
    view({
      ...{ state: "waiting-for-b", reason: "b to approve (moiety job approve)", heartbeat: at(100 + second) },
      sites: [site("b", { waitedFor: "approval", waitedForSince: at(100) })],
    }),
  );
  expect(told(waiting, false)).toEqual(["job 3f2a91bc04de: waiting-for-b: b to approve (moiety job approve)"]);
});
