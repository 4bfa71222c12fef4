// Slow: classifiers are trained to have something to say.
import { describe, expect, it } from "vitest";
import { name } from "./html/markup.js";
import { pages } from "./html/testing/pages.js";
import { missingWords, say } from "./language.js";
import { speaking } from "./speaking.js";
import { german } from "./words/de.js";

/** What of a page is not words: its tags, without attributes that are read out. */
function frameOf(page: string): string[] {
  return [...page.matchAll(/<(\/?)([a-z]+[1-6]?)/g)]
    .map(([, end, tag]) => end + tag)
    .filter((tag) => !/^\/?(b|em)$/.test(tag));
}

/** Words that English sentences have and German ones do not. */
const englishWords = /\b(the|is|are|of|and|not|which|from|people|with|by|this|that|use|their|groups|each|every)\b/i;

/** Texts of a page that are English, beside names that people gave, commands, and titles of papers. */
function englishIn(page: string): string[] {
  return page
    .replace(/<style>.*?<\/style>|<code>.*?<\/code>|<bdi>.*?<\/bdi>/gs, "")
    .replace(/<th scope="row">Veröffentlichung<\/th><td>.*?<\/td>/gs, "")
    .replace(/(?:aria-label|title)="([^"]*)"/g, ">$1<")
    .split(/<[^>]*>?|>/)
    .map((text) =>
      text
        .replaceAll("a hospital with a rather long name", "")
        .replace(/a (group|region) with a( rather)? long name( \d+)?/g, ""),
    )
    .filter((text) => englishWords.test(text));
}

describe("reports in German", () => {
  it.each(Object.entries(pages))("have all words of %s, in the same frame", async (_, page) => {
    const [english, translated] = [await page(), await page("de")];
    expect(missingWords()).toEqual([]);
    expect(translated).toContain('<html lang="de">');
    expect(frameOf(translated)).toEqual(frameOf(english));
    expect(englishIn(translated)).toEqual([]);
    // What comes after is English again.
    expect(await page()).toBe(english);
  });

  it("use no value that the English does not have", () => {
    const valuesIn = (text: string) => [...text.matchAll(/\{\d+\}/g)].map(([value]) => value);
    for (const [key, words] of Object.entries(german)) {
      for (const value of valuesIn(words)) expect(valuesIn(key), key).toContain(value);
    }
  });

  it("name groups of numbers in German, which people did not name", () => {
    const german = (text: string) => speaking("de", () => String(name(text)));
    expect(german("29 to <45")).toBe("<bdi>29 bis &lt;45</bdi>");
    expect(german("F, -1.5 to <2e+21")).toBe("<bdi>F, -1.5 bis &lt;2e+21</bdi>");
    expect(german("zero to <hero")).toBe("<bdi>zero to &lt;hero</bdi>");
    expect(String(name("29 to <45"))).toBe("<bdi>29 to &lt;45</bdi>");
  });

  it("write numbers as Germans do, and keep what people named as it is", () => {
    const group = "and";
    expect(speaking("de", () => say`${group} and ${"People"}`)).toBe("and und People");
    expect(speaking("de", () => speaking(undefined, () => say`${"1"}%`))).toBe("1\u00a0%");
    expect(say`${"1"}%`).toBe("1%");
  });
});
