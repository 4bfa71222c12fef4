import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import * as z from "zod";
import { MoietyError } from "../errors.js";
import { type Checkpoint, checkpointJson, checkpointSchema } from "../learning/checkpoint.js";
import type { LearningData } from "../learning/types.js";
import { writeAtomically } from "../table/disk/index.js";

const schema = z.object({
  format: z.literal("moiety-checkpoint"),
  settings: z.string(),
  runs: checkpointSchema,
});

/** Milliseconds between two checkpoints at least: that of a large net takes a moment to write. */
const leastPause = 5000;

/** A file from which a training that was interrupted goes on. It belongs to one training only. */
export class CheckpointFile {
  private written = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly path: string,
    private readonly settings: string,
  ) {}

  /** What is there, if anything; refuses what another training has left. */
  async read(): Promise<Checkpoint | undefined> {
    const text = await readFile(this.path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw new MoietyError("input", `cannot read the checkpoint ${this.path}: ${error.code ?? "unknown error"}`);
    });
    if (text === undefined) return undefined;
    const parsed = schema.safeParse(jsonOf(text));
    const advice = "remove it, or name another file";
    if (!parsed.success) throw new MoietyError("input", `${this.path} is not a checkpoint of this version: ${advice}`);
    if (parsed.data.settings !== this.settings) {
      const what = `the checkpoint ${this.path} is of other people or other options`;
      throw new MoietyError("input", `${what}: give those, ${advice}`);
    }
    return parsed.data.runs;
  }

  async write(checkpoint: Checkpoint): Promise<void> {
    if (performance.now() - this.written < leastPause) return;
    const runs = checkpointJson(checkpoint);
    const text = JSON.stringify({ format: "moiety-checkpoint", settings: this.settings, runs });
    await writeAtomically(this.path, (temporary) => writeFile(temporary, text));
    this.written = performance.now();
  }

  /** The training is done. */
  remove(): Promise<void> {
    return rm(this.path, { force: true });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A short hash of people's numbers, labels and groups. */
export function fingerprint({ train, test }: LearningData): string {
  const hash = createHash("sha256");
  for (const { n, features, labels, groups } of [train, test]) {
    hash.update(`${n} `);
    for (const part of [features, labels, groups]) {
      hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    }
  }
  return hash.digest("hex").slice(0, 32);
}

export function settingsHash(data: string, options: object): string {
  return createHash("sha256").update(data).update(JSON.stringify(options)).digest("hex");
}
