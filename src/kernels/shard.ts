/** The fields of assembly/shard.ts in the same order: all are 32-bit but the last, which is an f64. */
const words = [
  "x",
  "rows",
  "dims",
  "k",
  "lane",
  "lanes",
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
] as const;

export type ShardField = (typeof words)[number];

/** Byte offsets of the fields. The f64 at the end is aligned to 8, as the compiler does it. */
export const fieldAt: Record<ShardField | "jitter", number> = {
  ...(Object.fromEntries(words.map((name, index) => [name, index * 4])) as Record<ShardField, number>),
  jitter: Math.ceil((words.length * 4) / 8) * 8,
};

export const shardBytes = fieldAt.jitter + 8;
