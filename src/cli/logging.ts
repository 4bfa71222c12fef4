import type { Command } from "commander";
import { type Log, type LogLevel, logLevels } from "../federation/log.js";
import { choice } from "./values.js";

const logFormats = ["text", "json"] as const;

export interface LogFlags {
  readonly log?: (typeof logFormats)[number];
  readonly logLevel?: LogLevel;
}

export function addLogOptions(command: Command): Command {
  return command
    .option(
      "--log <format>",
      "text, or json: one object on each line (default: text)",
      choice("value of --log", logFormats),
    )
    .option(
      "--log-level <level>",
      "info, or warning: only what may need somebody to see to it (default: info)",
      choice("value of --log-level", logLevels),
    );
}

/** A log of one line for each event, with date, time (UTC) and the member's name. */
export function logTo(
  stream: { write(text: string): unknown },
  member: string,
  { log = "text", logLevel = "info" }: LogFlags,
  clock: () => Date = () => new Date(),
): Log {
  return (line, level = "info") => {
    if (logLevels.indexOf(level) < logLevels.indexOf(logLevel)) return;
    const text = line.replace(/\s*\n\s*/g, " | ");
    stream.write(`${(log === "json" ? asJson : asText)(clock(), level, member, text)}\n`);
  };
}

function asText(now: Date, level: LogLevel, member: string, text: string): string {
  const time = now.toISOString().slice(0, 19).replace("T", " ");
  return `${time} ${member}: ${level === "info" ? "" : `${level}: `}${text}`;
}

function asJson(now: Date, level: LogLevel, member: string, text: string): string {
  const [, job, message] = /^job ([0-9a-f]+): (.*)$/.exec(text) ?? [undefined, undefined, text];
  return JSON.stringify({ time: now.toISOString(), level, member, ...(job ? { job } : {}), message });
}
