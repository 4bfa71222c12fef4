import type { Move } from "../kernels/best-moves.js";
import type { Range } from "../kernels/rows.js";
import type { Moves } from "./column-party.js";

/** The people of a range whose label differs, and the label that they would take. */
export function changesBetween(range: Range, before: Uint16Array, after: Uint16Array): Moves {
  let count = 0;
  for (let i = 0; i < after.length; i++) if (before[i] !== after[i]) count++;
  const moves = { rows: new Uint32Array(count), to: new Uint16Array(count) };
  for (let i = 0, at = 0; at < count; i++) {
    if (before[i] === after[i]) continue;
    moves.rows[at] = range.from + i;
    moves.to[at++] = after[i];
  }
  return moves;
}

/** Several lists of moves as one. */
export function allOf(lists: readonly Moves[]): Moves {
  if (lists.length === 1) return lists[0];
  const count = lists.reduce((total, { rows }) => total + rows.length, 0);
  const all = { rows: new Uint32Array(count), to: new Uint16Array(count) };
  let at = 0;
  for (const { rows, to } of lists) {
    all.rows.set(rows, at);
    all.to.set(to, at);
    at += rows.length;
  }
  return all;
}

/** A list of moves as columns. */
export function movesOf(moves: readonly Move[]): Moves {
  return { rows: Uint32Array.from(moves, ({ row }) => row), to: Uint16Array.from(moves, ({ cluster }) => cluster) };
}

/** Some of the moves, by their place in the list. */
export function chosenOf({ rows, to }: Moves, chosen: (index: number) => boolean): Moves {
  const isChosen = (_: number, index: number) => chosen(index);
  return { rows: rows.filter(isChosen), to: to.filter(isChosen) };
}

/** The person of these clusters with the largest score in their own cluster, the lowest row among equals. */
export function farthestOf(
  labels: Uint16Array,
  scores: Float64Array,
  clusters: ReadonlySet<number>,
): number | undefined {
  const k = scores.length / labels.length;
  let farthest: number | undefined;
  let far = 0;
  for (let i = 0; i < labels.length; i++) {
    const score = scores[i * k + labels[i]];
    if (score <= far || !clusters.has(labels[i])) continue;
    far = score;
    farthest = i;
  }
  return farthest;
}
