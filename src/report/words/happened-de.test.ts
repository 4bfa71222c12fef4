import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inGerman } from "./said-de.js";

const sources = join(import.meta.dirname, "../..");
/** What logs where pages show it. */
const logging = [
  ...["federation", "pages"].flatMap((room) =>
    readdirSync(join(sources, room), { recursive: true, encoding: "utf8" }).map((name) => join(room, name)),
  ),
  ...["cli/party.ts", "cli/coordinator.ts"],
].filter((path) => path.endsWith(".ts") && !/\.test\.ts$|[\\/]testing[\\/]/.test(path));

/** In the place of what a template is filled with: a role, a reason, where somebody came from, or any other word. */
const values: Readonly<Record<string, string>> = { role: "analyst", why: ": done", key: "10.0.0.1: done" };

/** Whatever they log, line by line. */
function loggedLines(): string[] {
  const call = /\b(?:(?<!\.)log|options\.log|context\.log|\.say|\.refused)\(\s*(?:`([^`]*)`|"([^"]*)")/g;
  return logging.flatMap((path) =>
    Array.from(
      readFileSync(join(sources, path), "utf8").matchAll(call),
      ([, template, text]) =>
        template?.replace(/\$\{((?:[^{}]|\{[^}]*\})*)\}/g, (_, of) => values[of] ?? "7") ?? text ?? "",
    ),
  );
}

it("says in German whatever a federation's processes log", () => {
  const lines = loggedLines().filter((line) => /[a-z]{2}/.test(line));
  expect(lines.length).toBeGreaterThan(25);
  expect(lines.filter((line) => inGerman(line) === undefined)).toEqual([]);
});

it.each([
  [
    "job 12ab: waiting: hospital to approve (moiety job approve)",
    "Auftrag 12ab: wartet: hospital noch ohne Zustimmung",
  ],
  [
    "job 12ab: failed: hospital refused: we are not allowed to",
    "Auftrag 12ab: gescheitert: hospital hat abgelehnt: we are",
  ],
  ["job 12ab: paused: connect ECONNREFUSED 127.0.0.1:1", "Auftrag 12ab: angehalten: connect ECONNREFUSED 127.0.0.1:1"],
  ["bank-b is gone: lost the connection to bank-b", "bank-b ist weg: die Verbindung zu bank-b"],
  [
    "refused a connection from 10.0.0.1: it showed no certificate",
    "eine Verbindung von 10.0.0.1 wurde abgewiesen: kein",
  ],
])("%s", (line, german) => {
  expect(inGerman(line)).toMatch(new RegExp(`^${german.replace(/[.()]/g, "\\$&")}`));
});
