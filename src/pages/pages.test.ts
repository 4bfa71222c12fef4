import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { MoietyError } from "../errors.js";
import { found, without } from "../report/html/testing/browser.js";
import { englishIn, faultsOf, focusOrder } from "../report/html/testing/scrutiny.js";
import { type LivePage, serveLive } from "./live-page.js";
import {
  analystAnswers,
  analystStates,
  coordinatorStates,
  longReason,
  siteAnswers,
  siteStates,
} from "./testing/states.js";
import { tabsForTests } from "./testing/tabs.js";

async function serve(page: string, live: LivePage<object>): Promise<string> {
  const server = await serveLive(live, { page: `${page}.html`, command: "moiety test" });
  onTestFinished(() => server.close());
  return server.address;
}

/** Every page in every state: its answers, and what is opened before it is looked at. */
const screens = [
  ...Object.entries(coordinatorStates).map(([name, state]) => ({
    ...{ page: "coordinator", name, state, answers: {} },
    open: async (page: Page) => {
      await page.waitForSelector("#members");
      await pressAll(page, ".job > button.grave");
    },
  })),
  ...Object.entries(siteStates).map(([name, state]) => ({
    ...{ page: "site", name, state, answers: siteAnswers },
    open: async (page: Page) => {
      await page.waitForSelector("#policy .yaml .here");
      if (state.entries > 0) await page.waitForSelector("#journal tbody tr");
      if (state.jobs.length > 0) await page.waitForSelector("#waiting .rules");
      await pressAll(page, ".decide > button");
    },
  })),
  ...Object.entries(analystStates).map(([name, state]) => ({
    ...{ page: "analyst", name, state, answers: analystAnswers },
    open: async (page: Page) => {
      await page.waitForSelector("#foreseen");
      if (state.jobs.length === 0) return;
      await page.click("#compare button");
      await page.waitForSelector("#compare table");
      await pressAll(page, ".job > button.grave");
    },
  })),
];

/** Opens what asks for a confirmation, and confirms without typing what is asked for. */
async function pressAll(page: Page, buttons: string): Promise<void> {
  while ((await page.locator(buttons).count()) > 0) await page.locator(buttons).first().click();
  for (const form of await page.locator("form.confirm").all()) {
    await form.locator("[type=submit]").click();
    await form.locator(".fault").first().waitFor();
  }
}

/** Tables that have to be pushed sideways on a telephone. */
async function sidewaysTables(page: Page): Promise<unknown> {
  await page.setViewportSize({ width: 390, height: 800 });
  return page.evaluate(`[...document.querySelectorAll("table")]
    .map((table) => table.parentElement)
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((frame) => frame.getAttribute("aria-label"))`);
}

describe.skipIf(!found)(`the federation's pages${without}`, () => {
  const openTab = tabsForTests();

  it.each(screens)("suit every reader: $page $name", async ({ page: name, state, answers, open }) => {
    const address = await serve(name, { state: () => state, answers });
    for (const locale of ["en", "de-DE"]) {
      const { page, complaints } = await openTab(address, { locale });
      await open(page);
      expect(await faultsOf(page)).toEqual([]);
      expect(await sidewaysTables(page)).toEqual([]);
      for (const { what, seen } of await focusOrder(page)) expect([what, seen]).toEqual([what, true]);
      expect(complaints).toEqual([]);
      expect(await page.evaluate("document.documentElement.lang")).toBe(locale.slice(0, 2));
      if (locale === "de-DE") expect((await englishIn(page)).filter((text) => !text.includes(longReason))).toEqual([]);
      await page.close();
    }
  });

  it("say why the process cannot tell how things are, and mend themselves", async () => {
    let broken = true;
    const address = await serve("coordinator", {
      state: () => {
        if (broken) throw new MoietyError("failed", "the coordinator does not answer");
        return coordinatorStates["with nothing to do"];
      },
      answers: {},
    });
    const { page } = await openTab(address);
    await page.getByText("the coordinator does not answer").waitFor();
    broken = false;
    await page.getByText("No job is open.").waitFor();
    expect(await page.locator(".failure").count()).toBe(0);
    expect(page.url()).not.toContain("token");
  });

  it("say that the connection is lost, and mend themselves when it is back", async () => {
    const state = coordinatorStates["with nothing to do"];
    const { page } = await openTab(await serve("coordinator", { state: () => state, answers: {} }));
    await page.getByText("No job is open.").waitFor();
    await page.route("**/events", (route) => route.abort());
    await page.reload();
    await page.locator(".connection.lost").waitFor();
    await page.unroute("**/events");
    await page.locator(".connection.live").waitFor();
    await page.getByText("No job is open.").waitFor();
  });

  it("follow the keyboard into what they ask and out of it, and ask once", async () => {
    let asked = 0;
    const cancel = () => {
      asked++;
      return new Promise(() => undefined);
    };
    const state = coordinatorStates["with jobs in every state"];
    const { page } = await openTab(await serve("coordinator", { state: () => state, answers: { cancel } }));
    await page.getByRole("button", { name: "Cancel this job" }).first().focus();
    await page.keyboard.press("Enter");
    await page.locator("form input:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("button.grave:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.locator("form input:focus").waitFor();
    await page.keyboard.type("aaa");
    await page.keyboard.press("Enter");
    await page.getByText("'aaa' is not aaaa").waitFor();
    await page.locator("form input:focus").waitFor();
    await page.keyboard.type("a");
    await page.keyboard.press("Enter");
    await page.locator("form [type=submit]:disabled").waitFor();
    await page.keyboard.press("Enter");
    expect(asked).toBe(1);
  });

  it("keep the keyboard where it is while a job is submitted, and submit it once", async () => {
    let asked = 0;
    let finish: (id: string) => void = () => undefined;
    const answers = {
      check: () => ({ fault: null, fields: {}, sites: [], columns: {} }),
      submit: () => {
        asked++;
        return new Promise<string>((told) => {
          finish = told;
        });
      },
    };
    const { page } = await openTab(
      await serve("analyst", { state: () => analystStates["with jobs in every state"], answers }),
    );
    const submit = page.getByRole("button", { name: "Submit", exact: true });
    await page.locator("#write button.main:not(:disabled)").waitFor();
    await submit.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect.poll(() => asked).toBe(1);
    finish("abcd");
    await page.getByText("Submitted: job abcd.").waitFor();
    expect(asked).toBe(1);
    await page.locator("#write button.main:focus").waitFor({ timeout: 5000 });
  });

  it("do not disturb each other in two tabs: a policy that was saved in one is not overwritten in the other", async () => {
    let state = siteStates["with nothing to do"];
    const savePolicy = ({ text }: { text: string }) => {
      state = { ...state, policy: { ...state.policy, text } };
    };
    const address = await serve("site", { state: () => state, answers: { ...siteAnswers, savePolicy } });
    const [one, other] = [(await openTab(address)).page, (await openTab(address)).page];
    await other.getByLabel("What this site allows").fill("approval: maybe\n");
    await other.locator("#policy .fault").getByText("line 1: give automatic or manual").waitFor();
    await one.getByLabel("What this site allows").fill("approval: automatic\n");
    await one.getByRole("button", { name: "Save this policy" }).click();
    await one.getByLabel("Type policy to confirm").fill("policy");
    await one.keyboard.press("Enter");
    await other.getByText("was changed elsewhere").waitFor();
    expect(await other.getByLabel("What this site allows").inputValue()).toBe("approval: maybe\n");
    expect(await other.getByRole("button", { name: "Save this policy" }).count()).toBe(0);
    await other.getByRole("button", { name: "Discard changes" }).click();
    expect(await other.getByLabel("What this site allows").inputValue()).toBe("approval: automatic\n");
  });
});
