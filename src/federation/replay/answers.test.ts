import fc from "fast-check";
import { expect, it } from "vitest";
import { MemoryStore } from "../store/memory.js";
import { Answers } from "./answers.js";

const folder = "jobs/a/answers/";
const answers = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });

function toldAgain(kept: Answers): number[][] {
  const told: number[][] = [];
  for (let next = kept.next(); next; next = kept.next()) told.push([...next]);
  return told;
}

async function written(store: MemoryStore, list: readonly Uint8Array[], position: number | null) {
  const kept = await Answers.open(store, folder, position);
  for (const each of list) await kept.add(each);
  return kept;
}

it("answers are told again in order, as many as came through whole, whatever byte the process was killed at", async () => {
  await fc.assert(
    fc.asyncProperty(answers, fc.nat(), fc.nat(), async (list, cut, spoilt) => {
      const store = new MemoryStore();
      await written(store, list, null);
      const all = list.map((each) => [...each]);
      expect(toldAgain(await Answers.open(store, folder, null))).toEqual(all);
      if (list.length === 0) return;
      const bytes = (await store.read(`${folder}begun`))!;
      let end = 0;
      const ends = list.map((each) => (end += 12 + each.length));
      const length = cut % bytes.length;
      await store.write(`${folder}begun`, bytes.subarray(0, length));
      const whole = ends.filter((end) => end <= length).length;
      expect(toldAgain(await Answers.open(store, folder, null))).toEqual(all.slice(0, whole));
      // A machine that died may leave other bytes where some were on their way to the disk.
      const at = spoilt % bytes.length;
      await store.write(`${folder}begun`, bytes.with(at, bytes[at] ^ 1));
      const before = ends.filter((end) => end <= at).length;
      expect(toldAgain(await Answers.open(store, folder, null))).toEqual(all.slice(0, before));
    }),
  );
});

it("what the parties do not have in common is forgotten, and more than there is cannot be agreed on", async () => {
  const store = new MemoryStore();
  await written(store, [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)], 7);
  const kept = await Answers.open(store, folder, 7);
  await expect(kept.agree(4)).rejects.toThrow(/not there any more/);
  await kept.agree(2);
  expect(toldAgain(kept)).toEqual([[1], [2]]);
  await kept.add(Uint8Array.of(9));
  expect(toldAgain(await Answers.open(store, folder, 7))).toEqual([[1], [2], [9]]);
});

it("after a checkpoint the answers before it stay until the next one: the coordinator may not know of it yet", async () => {
  const store = new MemoryStore();
  const kept = await written(store, [Uint8Array.of(1)], null);
  await kept.follow(5);
  await kept.add(Uint8Array.of(2));
  expect(toldAgain(await Answers.open(store, folder, null))).toEqual([[1]]);
  expect(toldAgain(await Answers.open(store, folder, 5))).toEqual([[2]]);
  await kept.follow(9);
  expect(await store.list(folder)).toEqual([`${folder}5`, `${folder}9`]);
});
