import { expect, it } from "vitest";
import { type LogFlags, logTo } from "./logging.js";

const now = new Date("2030-01-02T03:04:05.678Z");

function written(flags: LogFlags, ...lines: Parameters<ReturnType<typeof logTo>>[]): string[] {
  const texts: string[] = [];
  const log = logTo({ write: (text) => texts.push(text) }, "bank-a", flags, () => now);
  for (const line of lines) log(...line);
  return texts;
}

it("has one line for each event, with its date, whatever the text has", () => {
  expect(written({}, ["connected\n  again"], ["its disk is full", "warning"])).toEqual([
    "2030-01-02 03:04:05 bank-a: connected | again\n",
    "2030-01-02 03:04:05 bank-a: warning: its disk is full\n",
  ]);
});

it("is JSON where that is asked for, with the job apart", () => {
  const [line, other] = written({ log: "json" }, ["job 3f2a91bc04de: done"], ['a "word"', "warning"]);
  const common = { time: "2030-01-02T03:04:05.678Z", member: "bank-a" };
  expect(JSON.parse(line)).toEqual({ ...common, level: "info", job: "3f2a91bc04de", message: "done" });
  expect(JSON.parse(other)).toEqual({ ...common, level: "warning", message: 'a "word"' });
});

it("leaves out what matters less than is asked for", () => {
  const lines = written({ logLevel: "warning" }, ["connected"], ["gone", "warning"]);
  expect(lines).toEqual(["2030-01-02 03:04:05 bank-a: warning: gone\n"]);
});
