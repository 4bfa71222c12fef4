import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fewestPresent, Ring } from "../../privacy/masks/ring.js";
import { shareBytes } from "../../privacy/masks/shamir.js";
import { digestWith } from "../results/site-tables.js";
import { keyedParties, ringRounds } from "../testing/masked.js";
import { DisclosureLog } from "./disclosure-log.js";

const count = 66;
const keyed = keyedParties(count);
const draws = new Map(keyed.names.map((name) => [name, randomBytes(32)]));
const ring = new Ring({ job: "job", epoch: 0, sites: count }, draws);
const here = { job: "job", epoch: 0 };

function site(summed: readonly (readonly [string, string])[] = []) {
  const disclosures = new DisclosureLog(summed);
  const rounds = ringRounds(keyed, 0, ring, { threshold: fewestPresent(count), disclosures });
  const ask = (round: number, absent: string[], about = "groups") => {
    rounds.begin({ list: { round, absent } });
    disclosures.about(about);
    return rounds.hide(BigInt64Array.of(7n), digestWith("", about));
  };
  const open = (round: number) => rounds.answer("open", { ...here, round }).body ?? null;
  return { rounds, disclosures, ask, open };
}

describe("a site among many", () => {
  it("opens a sum once, and the same question over others never", () => {
    const { rounds, ask, open } = site();
    ask(1, []);
    expect(open(1)).toHaveLength((2 * ring.neighbourhood.half + 1) * shareBytes);
    expect(() => open(1)).toThrow(/once only/);
    expect(ask(2, ["p5"])).toEqual({ meta: { refused: true } });
    expect(() => open(2)).toThrow(/is not the present one/);
    expect(() => rounds.answer("again", { ...here, round: 2, absent: [] })).toThrow(/no numbers are to be masked anew/);
    ask(3, [], "another question");
    expect(open(3)).not.toBeNull();
  });

  it("masks nothing for a question that was opened over others in an attempt before", () => {
    const before = site();
    before.ask(1, []);
    before.open(1);
    const { ask } = site(before.disclosures.list());
    expect(ask(1, ["p5"])).toEqual({ meta: { refused: true } });
    expect(ask(2, []).body).toHaveLength(8);
  });

  it("masks the same numbers anew without those who left, and then opens that list alone", () => {
    const { rounds, ask, open } = site();
    const first = ask(1, []);
    const second = rounds.answer("again", { ...here, round: 2, absent: ["p5", "p6"] });
    expect(second.body).not.toEqual(first.body);
    expect(() => open(1)).toThrow(/round 1 is not the present one/);
    expect(open(2)).not.toBeNull();
    expect(() => rounds.answer("again", { ...here, round: 3, absent: [] })).toThrow(/no numbers are to be masked anew/);
  });

  it("does not open a question over others by way of the next question", () => {
    const { rounds, ask, open } = site();
    ask(1, []);
    open(1);
    ask(2, ["p5"], "another question");
    // The next question forgets what round 2 was about: so round 2 cannot be opened any more.
    rounds.begin({ list: { round: 3, absent: [] } });
    expect(() => open(2)).toThrow(/given up/);
  });

  it("opens for the list that it has masked for, whatever list it is told after", () => {
    const { rounds, ask, open } = site();
    ask(1, ["p5"]);
    // A list that is refused, since too few are there or it lacks this site, changes nothing.
    expect(() => rounds.answer("again", { ...here, round: 2, absent: keyed.names.slice(10) })).toThrow(/are needed/);
    expect(() => rounds.answer("again", { ...here, round: 2, absent: ["p0"] })).toThrow(/lacks this site/);
    expect(open(1)).not.toBeNull();
    expect(ask(2, ["p6"])).toEqual({ meta: { refused: true } });
    expect(ask(3, ["p5"]).body).toHaveLength(8);
  });

  it("answers no question of those who mask with everybody", () => {
    const { rounds } = site();
    for (const method of ["announce", "vouch", "disclose"] as const) {
      expect(() => rounds.answer(method, { ...here, round: 0 })).toThrow(/out of place/);
    }
  });
});
