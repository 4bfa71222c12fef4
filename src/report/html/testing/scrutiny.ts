import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly any: readonly { readonly message: string }[];
  }[];
}

/** The violations alone: listing what passes, and sending it, takes as long as the rules do. */
const violationsOf = (rules: string) =>
  `axe.run({ resultTypes: ["violations"], ${rules} }).then(({ violations }) => ({ violations }))`;

/** All rules of axe in light; in dark those about colours, for nothing else of a page is different there. */
const rules = { light: "", dark: `runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] }` };

/** Characters of a line beyond which nobody finds the next one. */
const longestLine = 125;

/** A4 less its margins, in pixels: what is printed is laid out in this width. */
const paper = 688;

/**
 * What is wrong with a page for those who read it in light or dark, on a screen of any width, on paper, or with something else
 * than their eyes: rules of axe that it breaks, words beyond its edge, and lines that are too long. Everything that can be opened is open.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  // A page's own policy forbids scripts; a test's are not the page's.
  await page.evaluate(axe.source);
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    faults.push(...(await overflow(page, `${width} px`)));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = (await page.evaluate(violationsOf(rules[colorScheme]))) as { violations: Violation[] };
      faults.push(
        ...violations.map(({ id, nodes }) => {
          const [{ target, any }] = nodes as [Violation["nodes"][number]];
          return `${width} px, ${colorScheme}: ${id} in ${nodes.length}, such as ${target.join(" ")}: ${any[0]?.message ?? ""}`;
        }),
      );
    }
  }
  await page.setViewportSize({ width: 3840, height: 2160 });
  faults.push(...(await overflow(page, "3840 px")), ...(await longLines(page, "3840 px")));
  await page.setViewportSize({ width: paper, height: 900 });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  faults.push(...(await overflow(page, "on paper")));
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  return faults;
}

async function overflow(page: Page, where: string): Promise<string[]> {
  const { wide, room } = (await page.evaluate(
    "({ wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth })",
  )) as { wide: number; room: number };
  return wide > room ? [`${where}: ${wide} pixels wide`] : [];
}

/** Paragraphs whose lines are as long as the page is wide. */
async function longLines(page: Page, where: string): Promise<string[]> {
  const lengths = (await page.evaluate(`[...document.querySelectorAll("p, li, dd, figcaption")].map((text) => {
    const digits = document.createElement("span");
    digits.style.position = "absolute";
    digits.style.whiteSpace = "nowrap";
    digits.textContent = "0".repeat(100);
    text.append(digits);
    const digit = digits.offsetWidth / 100;
    digits.remove();
    return { room: text.offsetWidth / digit, of: text.tagName + " " + text.className };
  })`)) as { room: number; of: string }[];
  return lengths
    .filter(({ room }) => room > longestLine)
    .map(({ room, of }) => `${where}: a line of ${of} has room for ${Math.round(room)} characters`);
}

/** Where the keyboard is. */
interface FocusedElement {
  /** Its address, its label or its words. */
  readonly what: string;
  /** Whether one can see that it is there: an outline, within the window. */
  readonly seen: boolean;
}

/** Presses Tab and gives what that leads to; null at the end of the page. */
async function nextFocused(page: Page): Promise<FocusedElement | null> {
  await page.keyboard.press("Tab");
  return (await page.evaluate(`(() => {
    const here = document.activeElement;
    if (here === null || here === document.body) return null;
    const { outlineStyle, outlineWidth } = getComputedStyle(here);
    const { top, bottom, left, right } = here.getBoundingClientRect();
    const isInWindow = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    const label = here.getAttribute("aria-label") ?? here.labels?.[0]?.textContent;
    const what = here.getAttribute("href") ?? label ?? here.textContent;
    return { what, seen: isInWindow && outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
  })()`)) as FocusedElement | null;
}

/** More than any page has: whoever presses Tab so often goes in circles. */
const mostTabs = 500;

/** Elements that the keyboard reaches, in order, and whether one can see where one is. */
export async function focusOrder(page: Page): Promise<FocusedElement[]> {
  const found: FocusedElement[] = [];
  while (found.length < mostTabs) {
    const at = await nextFocused(page);
    if (at === null) return found;
    found.push(at);
  }
  return found;
}

/** Goes on with Tab to an element; gives the elements on the way, and itself, on which one cannot see where one is. */
export async function tabTo(page: Page, what: RegExp): Promise<string[]> {
  const unseen: string[] = [];
  for (let i = 0; i < mostTabs; i++) {
    const at = await nextFocused(page);
    if (at && !at.seen) unseen.push(at.what);
    if (at && what.test(at.what)) return unseen;
  }
  throw new Error(`Tab does not lead to ${what}`);
}

/** Words that English sentences have and German ones do not, and numbers with a decimal point. */
const english =
  /\b(the|is|are|of|and|or|to|not|which|from|people|with|by|this|that|use|their|groups?|each|every|job|jobs|waiting|waits|done|failed|classifier|loss|accuracy|columns?|rows?)\b|(?<![\d.])\d+\.\d{1,2}(?![\d.])|\d%/i;

/** What a German page says in English, or would have read out: names that people gave, commands and titles of papers aside. */
export async function englishIn(page: Page): Promise<string[]> {
  const texts = (await page.evaluate(`(() => {
    const own = (element) => element.closest("code, pre, bdi, textarea, option, [lang=en], .papers") === null;
    const said = [...document.querySelectorAll("main, main *")].filter(own);
    const read = said.flatMap((element) => ["aria-label", "title", "placeholder", "alt"].map((name) => element.getAttribute(name)));
    const shown = said.flatMap(({ childNodes }) => [...childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data));
    return [document.title, ...read, ...shown].filter((text) => text !== null).map((text) => text.trim());
  })()`)) as string[];
  return [...new Set(texts)].filter((text) =>
    english.test(text.replace(/[\w-]*-of-[\w-]*|'[^']*'|\b\d+(\.\d+){2,}\S*|moiety [a-z ]+|\S+\.(csv|json)/g, "")),
  );
}
