import { MoietyError } from "../../errors.js";
import type { Lane } from "../../kernels/lanes.js";
import { termsOf } from "../../kernels/mixture.js";
import { LocalMixtureParty, privateGridBits } from "../../parties/mixture.js";
import { type Integers, toIntegers } from "../../privacy/integers.js";
import { Chance } from "../../privacy/noise/chance.js";
import type { Attribute, People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { noiseAt, type PrivatePlan, privatePlanOf } from "../consent/privacy.js";
import { groupsOnCard } from "../consent/settings.js";
import type { Answer } from "../transport/conversation.js";
import type { WireQuestion } from "../wire/questions.js";
import { scoreBound } from "../wire/tables.js";
import { Answering, type AnsweringOptions, outOfPlace } from "./answering.js";
import { type DisclosureLog, digestOf, listOf } from "./disclosure-log.js";
import type { Releases } from "./question-run.js";

export interface MixtureRunOptions extends AnsweringOptions {
  readonly card: Card;
  readonly people: People;
  readonly lanes: readonly Lane[];
  /** What was summed over whom, in all epochs: durable too. */
  readonly told: DisclosureLog;
  readonly releases: Releases;
  /** With whom the present numbers are hidden, this site included. */
  readonly members: () => readonly string[];
  /** Writes down what leaves, before it does. */
  readonly leaving: () => Promise<void>;
}

/** Features that are not private are rounded to this grid, as in one process. */
const openGridBits = 16;

/**
 * A holder of rows in a private job. Which questions there are and how much noise each gets follows from the card: this
 * site adds its share by its own plan, whatever the coordinator says, and draws it once for each question of the plan. Asked
 * again, in this life or another, it repeats the very numbers, and only among the sites that they were summed over: what
 * was released is its checkpoint.
 */
export class MixtureRun extends Answering<MixtureRunOptions> {
  private readonly plan: PrivatePlan;
  private readonly attributes: readonly Attribute[];
  private readonly party: Promise<LocalMixtureParty>;
  private found: Promise<Uint16Array> | undefined;
  private answering: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(options: MixtureRunOptions) {
    super(options);
    const { card, people, lanes, random } = options;
    this.plan = privatePlanOf(card, people.n);
    this.attributes = recoded(card, people);
    const fill = (bytes: Uint8Array) => bytes.set(random(bytes.length));
    const gridBits = this.isOpen ? openGridBits : privateGridBits;
    const data = { n: people.n, dimensions: people.dimensions, attributes: this.attributes, gridBits };
    this.party = LocalMixtureParty.open(lanes, data, new Chance({ secret: true, fill }));
    this.party.catch(() => undefined);
  }

  /** There is nothing to go back to but what was released. */
  async resume(): Promise<void> {
    throw outOfPlace();
  }

  /** When this resolves, no noise is drawn any more: not even for a question that came before. */
  override async close(): Promise<void> {
    this.closed = true;
    await this.answering;
  }

  async labels(): Promise<Uint16Array> {
    if (!this.found) throw outOfPlace();
    return this.found;
  }

  protected take(step: number, of: number, question: WireQuestion, body: Uint8Array): Promise<Answer> {
    const answer = this.respond(step, of, question, body);
    this.answering = answer.catch(() => undefined);
    return answer;
  }

  private async respond(step: number, of: number, question: WireQuestion, body: Uint8Array): Promise<Answer> {
    if (of !== 0 || this.closed) throw outOfPlace();
    const values = new Float64Array(new Uint8Array(body).buffer);
    if (!values.every(Number.isFinite)) throw outOfPlace();
    switch (question.ask) {
      case "mixture":
        return this.mixture(step, question, values);
      case "groups":
        return this.groups(step, values);
      case "cells": {
        // Where people are private, so is how many are where.
        if (!this.isOpen) throw outOfPlace();
        const counts = new Float64Array(this.cellsOf(values));
        this.about("cells", [values]);
        for (const cell of await (await this.party).cells(values)) counts[cell]++;
        return this.send(step, "people in cells", "cells", toIntegers(counts, scoreBound));
      }
      case "clusters": {
        const centres = values.slice(0, question.cells * this.dims);
        const owners = values.slice(centres.length);
        if (owners.length !== question.cells || !owners.every((owner) => owner >= 0 && owner < this.options.card.k)) {
          throw outOfPlace();
        }
        this.found = (await this.party).cells(centres).then((cells) => cells.map((cell) => owners[cell]));
        return {};
      }
      default:
        throw outOfPlace();
    }
  }

  private async mixture(
    step: number,
    { components, hard, people, number }: WireQuestion & { readonly ask: "mixture" },
    theta: Float64Array,
  ): Promise<Answer> {
    const noise = noiseAt(this.plan, number);
    const terms = theta.length / components;
    if (noise === undefined || (terms !== termsOf(this.dims) && terms !== this.dims + 1)) throw outOfPlace();
    if (!this.isOpen && !hard) throw outOfPlace();
    const about = [theta, Float64Array.of(components, people, hard ? 1 : 0)];
    const { numbers, again } = await this.once(`sums ${number}`, about, noise !== null, async () => {
      const sums = await (await this.party).sums({ theta, components, hard, people, noise });
      // How likely people are is no part of what the noise covers.
      if (!this.isOpen) sums[sums.length - 1] = 0;
      return sums;
    });
    const shape = "components x (1, columns, their products)";
    const kind = noise ? "sums of the mixture, with noise" : "sums of the mixture";
    return this.send(step, again ? `${kind}, repeated` : kind, shape, numbers);
  }

  private async groups(step: number, centres: Float64Array): Promise<Answer> {
    if (this.plan.kind !== "fair") throw outOfPlace();
    this.cellsOf(centres);
    const { noise, unit, secondOnly } = this.plan.plan.census;
    const { numbers, again } = await this.once("groups", [centres], noise !== null, async () =>
      (await this.party).census({ centres, noise, unit, secondOnly }),
    );
    const kind = noise ? "people of each group in cells, with noise" : "people of each group in cells";
    return this.send(step, again ? `${kind}, repeated` : kind, "cells x groups", numbers);
  }

  private async send(step: number, kind: string, shape: string, numbers: Integers): Promise<Answer> {
    const answer = this.masked(step, kind, shape, numbers);
    await this.options.leaving();
    return answer;
  }

  /** Notes what the present sum is about. Refused where it was summed over others: by subtraction one site is bare. */
  private about(name: string, numbers: readonly Float64Array[]): void {
    const { told, members } = this.options;
    told.about(name, ...numbers);
    const before = told.over(digestOf(name, ...numbers));
    if (before === undefined || before === listOf(members())) return;
    throw new MoietyError(
      "failed",
      `this was summed over ${before} before and is not told over others: the job's privacy is spent`,
    );
  }

  /** Draws noise for a question once. The same question again gets the same numbers, and another one in its place none. */
  private async once(
    name: string,
    about: readonly Float64Array[],
    noisy: boolean,
    draw: () => Promise<Float64Array>,
  ): Promise<{ readonly numbers: Integers; readonly again: boolean }> {
    const { releases, told, members, card } = this.options;
    const digest = digestOf(name, ...about);
    const before = noisy ? await releases.get(name) : undefined;
    if (before && before.digest !== digest) {
      throw new MoietyError("failed", "another question was answered in this place before, and its privacy is spent");
    }
    if (before && !before.among) told.add([[digest, listOf(card.parties.map((party) => party.name))]]);
    this.about(name, about);
    const numbers = before ? Float64Array.from(before.numbers) : await draw();
    if (noisy && !before) await releases.put(name, { digest, numbers: Array.from(numbers), among: members() });
    return { numbers: toIntegers(numbers, scoreBound), again: before !== undefined };
  }

  private cellsOf(centres: Float64Array): number {
    const cells = centres.length / this.dims;
    if (!Number.isInteger(cells) || cells < 1 || cells > 1000) throw outOfPlace();
    return cells;
  }

  private get dims(): number {
    return this.options.people.dimensions.length;
  }

  /** Features are not private: only who is in which group is. */
  private get isOpen(): boolean {
    return this.plan.kind === "fair" && this.plan.plan.mode === "attribute";
  }
}

/** The site's attributes with the groups of the card. */
function recoded(card: Card, { attributes }: Pick<People, "attributes">): Attribute[] {
  return groupsOnCard(card).map(({ name, groups }, a) => {
    const own = attributes[a];
    const place = own.groups.map((group) => groups.indexOf(group));
    if (place.includes(-1)) {
      throw new MoietyError("input", `protected attribute '${name}' has a group here that is not on the card`);
    }
    return { name, groups: [...groups], codes: Uint16Array.from(own.codes, (code) => place[code]) };
  });
}
