import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { Workplace } from "../cli/testing/command.js";
import { tabsForTests } from "../pages/testing/tabs.js";
import { found, without } from "../report/html/testing/browser.js";
import { serveExplore } from "./server.js";
import { accepted, hugeCell, refused, table } from "./testing/bad-files.js";
import { host } from "./testing/host.js";

const work = new Workplace();

/** The sentence beside the place where files are dropped. */
async function sentence(page: Page): Promise<string | null> {
  await page.waitForSelector("#data .working", { state: "detached" });
  return page.locator("#data .failure").textContent();
}

async function opened(page: Page, says: RegExp): Promise<void> {
  await page.locator("#ask:has([aria-busy=false])").filter({ hasText: says }).waitFor();
  expect(await page.locator("#data .failure").count()).toBe(0);
}

/** Drops what lies at a path, as the system's own file manager would. */
async function drop(page: Page, path: string): Promise<void> {
  const { x, y, width, height } = (await page.locator("#data .drop").boundingBox())!;
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + height / 2, data });
  }
  await devtools.detach();
}

describe.skipIf(!found)(`bad files on the explore page${without}`, () => {
  const openTab = tabsForTests();
  const engines: readonly [name: string, serve: () => Promise<{ address: string; close: () => unknown }>][] = [
    ["a tab", () => host({})],
    ["the local server", () => serveExplore()],
  ];

  it.each(engines)("get one sentence from %s, which goes on working", async (_, serve) => {
    const server = await serve();
    onTestFinished(async () => void (await server.close()));
    const { page, complaints } = await openTab(server.address);
    for (const [name, content, says] of refused) {
      writeFileSync(work.path(name), content);
      await page.setInputFiles("#data input[type=file]", work.path(name));
      expect(await sentence(page)).toBe(says);
      expect(await page.locator("#ask").count()).toBe(0);
    }
    const gone = "it is a folder, or was moved, changed or removed since it was chosen";
    mkdirSync(work.path("folder.csv"), { recursive: true });
    await drop(page, work.path("folder.csv"));
    await expect.poll(() => sentence(page)).toBe(`cannot read folder.csv: ${gone}`);

    // What was chosen is told of only when it is no longer there.
    writeFileSync(work.path("gone.csv"), table);
    await page.evaluate(
      `addEventListener("change", (event) => event.isTrusted && event.stopImmediatePropagation(), { capture: true, once: true })`,
    );
    await page.setInputFiles("#data input[type=file]", work.path("gone.csv"));
    rmSync(work.path("gone.csv"));
    await page.dispatchEvent("#data input[type=file]", "change");
    await expect.poll(() => sentence(page)).toBe(`cannot read gone.csv: ${gone}`);

    for (const [name, content, says] of accepted) {
      writeFileSync(work.path(name), content);
      await page.setInputFiles("#data input[type=file]", work.path(name));
      await opened(page, says);
      const wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      expect([name, await page.evaluate(wide)]).toEqual([name, false]);
      const said = (await page.textContent("main"))!;
      expect(said.length).toBeLessThan(hugeCell / 100);
      expect(said).not.toMatch(/(,000){9}|0{20}/);
    }
    // What stands in the way is said once, however often a run is asked for.
    await page.click("text=Find clusters");
    await page.click("text=Find clusters");
    await page.locator("#ask .working").waitFor({ state: "detached" });
    expect(await page.locator("#ask .failure").count()).toBe(1);
    await page.click("text=Use invented people");
    await opened(page, /This can be met with 5,000 people\./);
    expect(complaints).toEqual([]);
  });

  it("are refused before the page is served where there is none", async () => {
    for (const [place, says] of [
      ["nobody.csv", /^moiety: no such file: nobody\.csv/],
      ["folder.csv", /^moiety: folder\.csv is a folder, not a table; name a file in it/],
    ] as const) {
      const { code, stdout, stderr } = await work.run("explore", place, "--no-open");
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(says);
    }
  });

  it("get one sentence where the local server is given their place", async () => {
    const server = await serveExplore();
    onTestFinished(() => server.close());
    const { page } = await openTab(server.address);
    for (const [place, says] of [
      ["folder.csv", /folder\.csv is a folder, not a table; name a file in it/],
      ["nobody.csv", /no such file: .*nobody\.csv/],
      ["ragged.csv", /ragged\.csv: row 3 has 1 cell and the header has 2/],
    ] as const) {
      await page.getByLabel("Path, query").fill(work.path(place));
      await page.keyboard.press("Enter");
      await expect.poll(() => sentence(page)).toMatch(says);
    }
  });
});
