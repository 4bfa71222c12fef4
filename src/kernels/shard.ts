/** The fields of assembly/shard.ts in the same order: 32-bit words, then f64s. */
const words = [
  "x",
  "rows",
  "dims",
  "k",
  "patterns",
  "lane",
  "lanes",
  "chunkBits",
  "pattern",
  "label",
  "centres",
  "weight",
  "ownWeight",
  "offset",
  "ownOffset",
  "table",
  "scratch",
  "sums",
  "counts",
  "uniform",
  "roughWeight",
  "roughOwnWeight",
  "norm",
  "roughCentres",
  "roughSquares",
  "roughOffset",
  "roughOwnOffset",
  "roughTable",
  "roughScratch",
  "turned",
  "turnedGates",
  "margin",
  "epoch",
  "slack",
  "now",
  "epochs",
  "gates",
  "cells",
  "found",
  "joining",
  "lone",
  "choices",
  "tallies",
  "tallied",
  "reach",
  "manhattan",
  "people",
] as const;
const reals = ["jitter", "jitterReach", "one", "errorPerNorm", "errorPerSquare", "error"] as const;

export type ShardField = (typeof words)[number];
export type ShardReal = (typeof reals)[number];

/** Byte offsets of the fields. The f64s are aligned to 8, as the compiler does it. */
const realsAt = Math.ceil((words.length * 4) / 8) * 8;
export const fieldAt = Object.fromEntries([
  ...words.map((name, index) => [name, index * 4]),
  ...reals.map((name, index) => [name, realsAt + index * 8]),
]) as Record<ShardField | ShardReal, number>;

export const shardBytes = realsAt + reals.length * 8;
