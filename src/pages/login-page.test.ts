import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { found, without } from "../report/html/testing/browser.js";
import { faultsOf } from "../report/html/testing/scrutiny.js";
import { serveLive } from "./live-page.js";
import type { LocalServer } from "./local-server.js";
import { Login } from "./login.js";
import { parseOidc } from "./oidc-settings.js";
import { clientId, clientSecret, startProvider, type TestProvider } from "./testing/provider.js";
import { analystStates } from "./testing/states.js";
import { tabsForTests } from "./testing/tabs.js";

describe.skipIf(!found)(`a page with log-in, in a browser${without}`, () => {
  const open = tabsForTests();
  let provider: TestProvider;
  let server: LocalServer;
  const lines: string[] = [];
  beforeAll(async () => {
    provider = await startProvider();
    const text = `issuer: ${provider.issuer}\nclientId: ${clientId}\nallow: { emails: [anna@bank.example] }`;
    const settings = parseOidc(text, "oidc.yaml");
    const login = await Login.load({ settings, secret: clientSecret, log: (line) => lines.push(line) });
    const [state] = Object.values(analystStates).slice(-1);
    server = await serveLive(
      { state: () => state, answers: { check: () => ({ fault: null, fields: {}, sites: [], columns: {} }) } },
      { page: "analyst.html", command: "moiety test", login, opening: { job: "ffff" } },
    );
  });
  afterAll(() => Promise.all([server?.close(), provider?.close()]));

  it("shows nothing until somebody has logged in who may, who it is then, and nothing after they left", async () => {
    const { page } = await open(server.address);
    const logInAs = async (name: string) => {
      await page.click("#log-in button");
      await page.fill("input[name=login]", name);
      await page.fill("input[name=password]", "any");
      await page.click("button[type=submit]");
      await page.click("button[type=submit]");
    };
    await page.waitForSelector("#log-in");
    expect(await faultsOf(page)).toEqual([]);
    await logInAs("ben");
    await page.waitForSelector(".failure");
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.textContent(".failure")).toContain("ben@bank.example (subject ben) may not use this page");
    expect(await page.locator("section").count()).toBe(1);
    expect(page.url()).not.toContain("code=");
    // The provider still knows ben: as a browser that nobody has used.
    await page.context().clearCookies();
    await logInAs("anna");
    await page.waitForSelector(".person");
    expect(await page.textContent(".person")).toContain("anna@bank.example");
    expect(new URL(page.url()).hash).toBe("#job=ffff");
    expect(new URL(page.url()).search).toBe("");
    await page.reload();
    await page.waitForSelector(".person");
    const cookies = await page.context().cookies(server.address);
    // The provider has the same name, and cookies; the page's own server has none.
    expect(cookies.every(({ name }) => name.startsWith("_"))).toBe(true);
    await page.click(".person button");
    await page.waitForSelector("#log-in");
    expect(await page.locator("section").count()).toBe(1);
    expect(lines.length).toBe(2);
    await page.close();
  });
});
