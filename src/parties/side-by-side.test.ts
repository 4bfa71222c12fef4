import { expect, it } from "vitest";
import * as z from "zod";
import { LocalGroup } from "./local-group.js";
import { count, type Group, questionsTo } from "./questions.js";
import { sideBySide } from "./side-by-side.js";

interface Counter {
  readonly step: number;
  told: number;
}

const { question, instruction } = questionsTo<Counter>();
const tell = instruction({
  name: "tell",
  request: z.strictObject({ number: count }),
  answer: (site, { number }) => {
    site.told = number;
  },
});
const times = question({
  name: "times",
  request: z.strictObject({ number: count }),
  leaves: "sum",
  shape: () => ({ product: 1 }),
  answer: ({ step }, { number }) => ({ product: Float64Array.of(step * number) }),
  journal: { what: "a product", shape: "1 number" },
});
const heard = question({
  name: "heard",
  request: z.strictObject({}),
  leaves: "sum",
  shape: () => ({ told: 1 }),
  answer: ({ told }) => ({ told: Float64Array.of(told) }),
  journal: { what: "what it was told", shape: "1 number" },
});

/** Multiplies so many times by what the sites' steps add up to. */
const power = (rounds: number) => async (group: Group<Counter>) => {
  let number = 1;
  for (let round = 0; round < rounds; round++) number = (await group.ask(times, { number })).product[0];
  return number;
};

const twoSites = () => new LocalGroup<Counter>([1, 2].map((step) => ({ step, told: 0 })));

it("gives each task the answers that it would get alone, in as many rounds as the longest takes", async () => {
  const group = twoSites();
  expect(await sideBySide<Counter, number[]>(group, [power(2), power(5), power(0), power(3)])).toEqual([9, 243, 1, 27]);
  expect(group.traffic.rounds).toBe(5);
});

it("tells sites what a task tells them before they answer its next question", async () => {
  const telling = async (group: Group<Counter>) => {
    await group.ask(tell, { number: 7 });
    return (await group.ask(heard, {})).told[0];
  };
  expect(await sideBySide<Counter, number[]>(twoSites(), [power(1), telling])).toEqual([3, 14]);
});

it("asks nothing more when a task has failed", async () => {
  const group = twoSites();
  const failing = async (asked: Group<Counter>) => {
    await power(1)(asked);
    throw new Error("enough");
  };
  await expect(sideBySide(group, [power(4), failing])).rejects.toThrow("enough");
  expect(group.traffic.rounds).toBe(1);
});
