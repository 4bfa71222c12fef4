import { EventEmitter } from "node:events";
import { SingleBar } from "cli-progress";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { partOfPhase } from "../algorithms/part-of-phase.js";
import type { Progress } from "../algorithms/types.js";
import { ProgressLine } from "./progress.js";

/** A stream that remembers what was written to it. */
class Screen extends EventEmitter {
  written = "";
  readonly columns = 200;

  constructor(readonly isTTY: boolean) {
    super();
  }

  write(text: string): boolean {
    this.written += text;
    return true;
  }

  cursorTo(): boolean {
    return true;
  }
}

const report: Progress = { phase: "fair", start: 0, starts: 2, pass: 3, passes: 50, sse: 1234.56, violation: 2.5 };

function lineOn(screen: Screen): ProgressLine {
  return new ProgressLine(screen as unknown as NodeJS.WriteStream, screen.isTTY ? SingleBar : undefined);
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** What a pipe gets of a fair clustering whose work comes in so many equal parts, each of so many milliseconds. */
function piped(parts: number, each: number, from: Partial<Progress> = {}): string {
  const screen = new Screen(false);
  const line = lineOn(screen);
  line.say("reading");
  const follow = line.follow("fair", partOfPhase);
  for (let done = 1; done <= parts; done++) {
    vi.advanceTimersByTime(each);
    follow({ ...report, starts: 1, pass: done, part: done / parts, ...from });
  }
  line.stop();
  return screen.written;
}

it("is silent where it is piped and takes less than ten seconds, whatever the number of passes", () => {
  expect(piped(100, 99)).toBe("");
  expect(piped(2, 4900)).toBe("");
});

it("says once where it is piped that work will take long, as soon as the first passes show it", () => {
  expect(piped(100, 400)).toBe("this will take about 40 s\n");
  expect(piped(40, 60_000)).toBe("this will take about 40 min\n");
  // Nothing was promised before the last phase: how long that takes is not known.
  expect(piped(100, 400, { phase: "sample" })).toBe("");
  expect(piped(100, 400, { phase: "seed" })).toBe("");
});

it("tells the time of all starts, and of plain k-means while centres are placed", () => {
  expect(piped(10, 500, { starts: 4 })).toBe("this will take about 20 s\n");
  const screen = new Screen(false);
  const follow = lineOn(screen).follow("descent", partOfPhase);
  for (const part of [0, 0.2]) {
    vi.advanceTimersByTime(3000);
    follow({ ...report, phase: "seed", starts: 1, part });
  }
  expect(screen.written).toBe("this will take about 18 s\n");
});

it("tells the time of work whose parts are counted", () => {
  const screen = new Screen(false);
  const line = lineOn(screen);
  for (let done = 0; done < 8; done++) {
    line.say(`${done + 1} of 8`, done / 8);
    vi.advanceTimersByTime(3000);
  }
  line.stop();
  expect(screen.written).toBe("this will take about 24 s\n");
});

it("expects a descent to converge as usual where nothing else is known", () => {
  const screen = new Screen(false);
  const follow = lineOn(screen).follow("fair", partOfPhase);
  for (let pass = 1; pass <= 3; pass++) {
    vi.advanceTimersByTime(2000);
    follow({ ...report, starts: 1, pass, passes: 50 });
  }
  const seconds = Number(/about (\d+) s/.exec(screen.written)?.[1]);
  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThan(100);
});

it("is silent about what takes less than a second", () => {
  const screen = new Screen(true);
  const line = lineOn(screen);
  line.say("reading");
  vi.advanceTimersByTime(900);
  line.follow("fair", partOfPhase)(report);
  line.stop();
  expect(screen.written).toBe("");
});

it("says what takes longer, and then phase, pass, SSE, violation and time left", () => {
  const screen = new Screen(true);
  const line = lineOn(screen);
  line.say("reading");
  vi.advanceTimersByTime(2000);
  expect(screen.written).toContain("reading … ");
  const follow = line.follow("fair", partOfPhase);
  vi.advanceTimersByTime(1000);
  expect(screen.written).toContain("placing centres …");
  follow(report);
  vi.advanceTimersByTime(1000);
  follow({ ...report, pass: 4 });
  vi.advanceTimersByTime(1000);
  expect(screen.written).toMatch(
    /making it fair, start 1 of 2 \[[=-]+\] pass 4, SSE 1,234\.6, 2\.5 beyond, about [\d.]+ (s|min) left/,
  );
  line.stop();
  const before = screen.written;
  vi.advanceTimersByTime(5000);
  expect(screen.written).toBe(before);
});

it("has words for every phase, and never runs backwards", () => {
  const screen = new Screen(true);
  const follow = lineOn(screen).follow("fair", partOfPhase);
  vi.advanceTimersByTime(2000);
  const said = (progress: Partial<Progress>) => {
    screen.written = "";
    follow({ ...report, ...progress });
    vi.advanceTimersByTime(1000);
    return screen.written;
  };
  const seeding = said({ phase: "seed", pass: 8 });
  expect(seeding).toMatch(/placing centres, start 1 of 2 \[-+\] try 8, SSE 1,234\.6/);
  expect(seeding).not.toMatch(/beyond|left/);
  expect(said({ phase: "seed", sse: Number.NaN })).not.toMatch(/SSE|NaN/);
  expect(said({ phase: "sample" })).toMatch(/working on a sample, start 1 of 2 \[-+\] pass 3, SSE/);
  const descent = said({ phase: "descent", pass: 30, violation: 0 });
  expect(descent).toMatch(/clustering, start 1 of 2 \[=+-+\] pass 30, SSE/);
  expect(descent).not.toMatch(/beyond|left/);
  const filled = (text: string) => /\[(=*)/.exec(text)![1].length;
  expect(filled(said({ phase: "fair", pass: 1 }))).toBe(filled(descent));
  // How long a start takes is known from the second on.
  expect(said({ phase: "seed", start: 1, pass: 1 })).toMatch(/start 2 of 2 .*, about \d\.\d s left/);
});

it("says of a training whose end nobody knows how far it is, and how far it may go", () => {
  const screen = new Screen(true);
  const line = lineOn(screen);
  const follow = line.followTraining()!;
  vi.advanceTimersByTime(1500);
  const reported = {
    run: "control",
    round: 41,
    rounds: 500,
    done: 41,
    all: 1000,
    accuracy: 0.8,
    difference: 0.05,
  } as const;
  follow({ ...reported, settles: true });
  expect(screen.written).toMatch(/training the control: round 41, until it settles \(500 at most\), 80.0% right/);
  expect(screen.written).not.toMatch(/left/);
  line.stop();
  const exact = line.followTraining()!;
  exact({ ...reported, settles: false });
  exact({ ...reported, settles: false, round: 42, done: 42 });
  expect(screen.written).toMatch(/round 41 of 500/);
  line.stop();
});
