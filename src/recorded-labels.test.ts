import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { requests } from "./testing/recorded/requests.js";

/**
 * The labels of a seed are those that were recorded, bit for bit. Whoever means to change them records them anew, with
 * `MOIETY_RECORD=1 npx vitest run recorded-labels`, in a commit of its own that says what became better.
 */
const file = new URL("./testing/recorded/labels.json", import.meta.url);
const recording = process.env.MOIETY_RECORD === "1";
const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, readonly [digest: string, quality: number]>;
const answers: typeof recorded = {};

test.each(requests)("%s", async (name, ask) => {
  const { bytes, quality } = await ask();
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  answers[name] = [digest, Number(quality.toPrecision(8))];
  if (!recording)
    expect(answers[name][0], `quality ${quality}, recorded ${recorded[name]?.[1]}`).toBe(recorded[name]?.[0]);
});

test("all of them are recorded, and nothing else", () => {
  if (!recording) expect(Object.keys(recorded)).toEqual(requests.map(([name]) => name));
});

afterAll(() => {
  if (!recording) return;
  const lines = Object.entries(answers).map(([name, [digest, quality]]) => `  "${name}": ["${digest}", ${quality}]`);
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
});
