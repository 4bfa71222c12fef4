import type { Motion } from "./checkpoint.js";
import { type AnswerTally, type CurveValues, type Difference, differences, type Fairness } from "./tally.js";

/** What has to settle: a measure, or a difference between groups. */
type Watched = "loss" | "accuracy" | Difference;

/** A share that moves by less than half a percentage point has settled. */
const leastMove = 0.005;
/** A loss that moves by less has settled: the probability given to the truth then changes by 1%. It matters while all answers are the same. */
const leastLossMove = 0.01;
/** A share that moves by less than this part of its standard error has settled: it adds 3% to the error. */
const partOfError = 1 / 4;
/** Averages of the last three sixths of the rounds are compared. Two would not do: a turning point may lie between them. */
const parts = { of: 6, last: 3 } as const;
/** The fewest rounds in an average. With ten, trials took a dual variable that was still rising for one that had settled. */
const leastPart = 20;

/**
 * Whether loss, accuracy and the difference (all three where none is asked for) have come to rest, from sums over all
 * parties alone. The longer a training has gone on, the slower a drift is seen.
 */
export function motionOf(course: readonly CurveValues[], tally: AnswerTally, fairness: Fairness | undefined): Motion {
  const rounds = Math.max(leastPart, Math.floor(course.length / parts.of));
  if (course.length < parts.last * rounds) return { kind: "unknown" };
  const watched = slackOf(tally, fairness).map(([what, slack]) => {
    const values = course.map((each) => each[what]);
    const [after, ...earlier] = Array.from({ length: parts.last }, (_, part) => {
      const end = values.length - part * rounds;
      return mean(values.slice(end - rounds, end));
    }) as [number, ...number[]];
    const before = earlier.reduce((a, b) => (Math.abs(b - after) > Math.abs(a - after) ? b : a));
    const swings = values.slice(-rounds).map((value) => Math.abs(value - after));
    return { what, slack, before, after, by: Math.max(mean(swings), swings[rounds - 1]) };
  });
  const drift = furthest(watched, ({ before, after, slack }) => Math.abs(after - before) / slack);
  if (drift) return { kind: "drifting", what: drift.what, rounds, before: drift.before, after: drift.after };
  const swing = furthest(watched, ({ by, slack }) => by / slack);
  return swing ? { kind: "swinging", what: swing.what, rounds, by: swing.by } : { kind: "settled" };
}

/** By how much each may move and yet be at rest. */
function slackOf(tally: AnswerTally, fairness: Fairness | undefined): [Watched, number][] {
  const { accuracy, everybody } = tally;
  const share = (error: number) => Math.max(leastMove, partOfError * error);
  const aims = fairness === undefined ? differences : ([`${fairness}d`] as const);
  return [
    ["loss", leastLossMove],
    ["accuracy", share(Math.sqrt((accuracy * (1 - accuracy)) / everybody))],
    ...aims.map((what): [Watched, number] => [what, share(tally.error(what.slice(0, 2) as Fairness))]),
  ];
}

/** What is furthest beyond its slack, if anything is. */
function furthest<T>(items: readonly T[], move: (item: T) => number): T | undefined {
  const most = items.reduce((a, b) => (move(b) > move(a) ? b : a));
  return move(most) > 1 ? most : undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
