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

/** A4 less its margins, in pixels: what is printed is laid out in this width. */
const paper = 688;

/**
 * What is wrong with a page for those who read it in light or dark, on a screen of any width, on paper, or with something else
 * than their eyes: rules of axe that it breaks, and words beyond its edge. Everything that can be opened is open.
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

/** Elements that the keyboard reaches, in order, and whether one can see where one is. */
export async function focusOrder(page: Page): Promise<{ readonly what: string; readonly seen: boolean }[]> {
  const found: { what: string; seen: boolean }[] = [];
  for (let i = 0; i < 500; i++) {
    await page.keyboard.press("Tab");
    const at = (await page.evaluate(`(() => {
      const here = document.activeElement;
      if (here === null || here === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(here);
      const what = here.getAttribute("href") ?? here.getAttribute("aria-label") ?? here.textContent;
      return { what, seen: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
    })()`)) as { what: string; seen: boolean } | null;
    if (at === null) return found;
    found.push(at);
  }
  return found;
}
