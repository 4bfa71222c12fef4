import { expect, it } from "vitest";
import { ended } from "./ended-de.js";
import { inGerman } from "./said-de.js";

const english = /\b(the|is|are|of|and|or|to|people|not|with|from|job|parties|log|were|has|have)\b/;

it.each([
  ["hospital: an operator at the site refused this job: we are not allowed to", /^hospital: jemand .*: we are/],
  [
    "bank-a: refuses the job: column 'income' may not be a feature; algorithm teb is not allowed",
    /; Verfahren teb ist/,
  ],
  [
    "bank-b not connected; bank-a, hospital to approve (moiety job approve)",
    /^bank-b nicht verbunden; bank-a, hospital noch ohne Zustimmung/,
  ],
  ["not done by its deadline; lost the connection to bank-b", /^bis zur Frist nicht fertig; die Verbindung zu bank-b/],
  ["disk full at the coordinator", /^beim Koordinator: der Datenträger ist voll$/],
  ["only 2 of 5 parties have signed: sums need at least 3", /^nur 2 von 5 Stellen/],
  [
    "bank-a: its data differ from those that the job began with: the job goes on when the old ones are back",
    /^bank-a: ihre/,
  ],
  ["entry 0 of the audit log of bank-a was changed", /^Eintrag 0 des Protokolls von bank-a/],
])("%s", (sentence, german) => {
  expect(inGerman(sentence)).toMatch(german);
});

it("leaves what people wrote as they wrote it", () => {
  expect(inGerman("an operator at the site refused this job: cancelled by mistake")).toMatch(/: cancelled by mistake$/);
  expect(inGerman("we have no contract; ask again")).toBeUndefined();
});

it("has no English in what it says", () => {
  for (const [, german] of ended) expect(german.replace(/moiety job \w+/, "")).not.toMatch(english);
});
