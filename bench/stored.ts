import * as z from "zod";
import { MoietyError } from "../src/errors.js";
import type { BenchResult } from "./types.js";

const goal = z.object({ atMost: z.number().optional(), atLeast: z.number().optional() });
const figure = z.object({
  unit: z.string(),
  values: z.array(z.number()).min(1),
  mean: z.number(),
  sd: z.number().min(0),
  beside: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
  goal: goal.optional(),
  met: z.boolean().optional(),
});
const sheet = z.object({
  title: z.string(),
  lines: z.array(
    z.object({
      at: z.record(z.string(), z.union([z.string(), z.number()])),
      figures: z.record(z.string(), figure),
      remark: z.string().optional(),
    }),
  ),
  notes: z.array(z.string()),
});
const result = z.object({
  benchmark: z.string(),
  version: z.string(),
  made: z.string(),
  machine: z.object({
    processor: z.string(),
    cores: z.number(),
    memory: z.number(),
    system: z.string(),
    node: z.string(),
    kernels: z.string().optional(),
  }),
  options: z.object({
    seeds: z.number(),
    quick: z.boolean(),
    threads: z.number(),
    n: z.number().optional(),
    data: z.string().optional(),
  }),
  seconds: z.number(),
  sheets: z.array(sheet),
});

/** What a file of results holds, if it is one; `path` is for the error. */
export function parseResult(value: unknown, path: string): BenchResult {
  const parsed = result.safeParse(value);
  if (parsed.success) return parsed.data as BenchResult;
  const { path: place, message } = parsed.error.issues[0];
  const where = place.length === 0 ? "" : ` at ${place.map(String).join(" > ")}`;
  throw new MoietyError("input", `${path} does not hold the result of a benchmark${where}: ${message}`);
}
