import { failed } from "../../../errors.js";
import { type Integers, toIntegers } from "../../../privacy/integers.js";
import { type Card, sumBound } from "../../consent/card.js";
import { type DisclosureLog, digestOf } from "../disclosure-log.js";
import type { ReleaseStore } from "../question-run.js";
import type { Exchange } from "./exchange.js";

export interface ReleasedOnceOptions {
  readonly card: Pick<Card, "parties">;
  readonly releases: ReleaseStore;
  readonly disclosures: DisclosureLog;
  /** Writes what leaves into the audit log, before it does. */
  readonly leaving: () => Promise<void>;
}

/** Numbers with their noise, and what they are about. */
export interface KeptNumbers {
  /** Their place among what a job releases. */
  readonly place: string;
  readonly about: readonly ArrayBufferView[];
  readonly numbers: Integers;
  /** Whether an earlier attempt has drawn their noise. */
  readonly repeated: boolean;
}

/**
 * Numbers of a private job over columns, whose noise is drawn once. They are kept with it before anything leaves: an attempt after an
 * interruption sends the same ones again, which shows nothing new, and about anything else there are none.
 */
export class ReleasedOnce {
  constructor(private readonly options: ReleasedOnceOptions) {}

  async keep(place: string, about: readonly ArrayBufferView[], draw: () => Float64Array): Promise<KeptNumbers> {
    const { card, releases } = this.options;
    const digest = digestOf(place, ...about);
    const before = await releases.get(place);
    if (before && before.digest !== digest) {
      throw failed("people were counted in other cells before, and their privacy is spent");
    }
    const numbers = before?.numbers ?? Array.from(draw());
    if (!before) await releases.put(place, { digest, numbers, among: card.parties.map(({ name }) => name) });
    return { place, about, numbers: toIntegers(Float64Array.from(numbers), sumBound), repeated: before !== undefined };
  }

  /**
   * The sums over all sites. Each writes down first what it helps to open: whoever has drawn noise and is put back to before is then told so by
   * the others. All must have kept their numbers by now: another exchange comes between.
   */
  async open(
    { place, about, numbers, repeated }: KeptNumbers,
    what: string,
    exchange: Exchange,
  ): Promise<Float64Array> {
    const { card, disclosures, leaving } = this.options;
    disclosures.begin();
    disclosures.about(place, ...about);
    if (!disclosures.open(card.parties.map(({ name }) => name))) {
      throw failed("this was summed over others before: refused");
    }
    await disclosures.saved();
    const sums = await exchange.sum(numbers, repeated ? `${what}, repeated` : what, leaving);
    return Float64Array.from(sums, Number);
  }
}
