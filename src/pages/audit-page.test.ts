import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Workplace } from "../cli/testing/command.js";
import { host } from "../explore/testing/host.js";
import { AuditLog } from "../privacy/audit/log.js";
import { found, without } from "../report/html/testing/browser.js";
import { faultsOf } from "../report/html/testing/scrutiny.js";
import { tabsForTests } from "./testing/tabs.js";

const work = new Workplace();
const sites = ["bank", "clinic"];

beforeAll(async () => {
  const members = [];
  for (const name of sites) {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const key = Buffer.from(publicKey.export({ format: "jwk" }).x as string, "base64url");
    const signer = { publicKey: key, sign: (statement: Uint8Array) => sign(null, statement, privateKey) };
    const lines: string[] = [];
    const storage = { append: async (line: string) => void lines.push(line), lines: () => lines };
    const log = await AuditLog.open(name, signer, storage, () => new Date(0));
    await log.note("opened", { site: name });
    work.write(`${name}.log`, `${lines.join("\n")}\n`);
    members.push({ role: "party", name, signing: key.toString("base64") });
  }
  work.write("kit.json", JSON.stringify({ federation: "local", members }));
  work.write("odd-kit.json", JSON.stringify({ federation: "local", members: [null] }));
  work.write("nothing.log", "");
  mkdirSync(work.path("folder"));
});

/** Drops what lies at these paths, as the system's own file manager would. */
async function drop(page: Page, ...names: string[]): Promise<void> {
  const { x, y } = (await page.locator(".drop").boundingBox())!;
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: names.map((name) => work.path(name)), dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, x: x + 20, y: y + 20, data });
  }
  await devtools.detach();
}

describe.skipIf(!found)(`the audit page${without}`, () => {
  const openTab = tabsForTests();

  it("judges what is a log, says whose it has not, and gives no verdict where something else is among them", async () => {
    const { address, close } = await host({});
    onTestFinished(close);
    const { page, complaints } = await openTab(`${address}audit.html`);
    expect(await faultsOf(page)).toEqual([]);
    for (const [other, says] of [
      ["nothing.log", "nothing.log is neither an audit log nor a kit.json"],
      ["odd-kit.json", "odd-kit.json is neither an audit log nor a kit.json"],
      ["folder", "folder cannot be read: it is a folder"],
    ] as const) {
      await drop(page, "kit.json", other, "bank.log");
      await page.locator(".failure").getByText(says).waitFor();
      await page.getByText("bank.log: 1 entry").waitFor();
      expect(await page.locator(".verdict").count()).toBe(0);
      expect(await faultsOf(page)).toEqual([]);
    }
    await drop(page, "bank.log");
    await page.locator(".verdict.good").waitFor();
    await page.getByText("not checked: the log of clinic.").waitFor();
    await drop(page, "clinic.log");
    await page.locator("#verdicts tbody tr").nth(1).waitFor();
    expect(await page.getByText("not checked").count()).toBe(0);
    // What is dropped beside the place for it takes nobody away from here.
    const refused = `["dragover", "drop"].map((type) => !document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true })))`;
    expect(await page.evaluate(refused)).toEqual([true, true]);
    expect(complaints).toEqual([]);
  });
});
