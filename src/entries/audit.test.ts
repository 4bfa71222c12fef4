import { generateKeyPairSync, sign } from "node:crypto";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyAudit } from "../library/audit.js";
import { AuditLog } from "../privacy/audit/log.js";
import type { LogVerdict } from "../privacy/audit/verify.js";
import { args, executablePath, found, without } from "../report/html/testing/browser.js";
import { serve } from "./testing/site.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A site, its log and its key, as a kit lists it. */
async function site(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(publicKey.export({ format: "jwk" }).x as string, "base64url");
  const signer = { publicKey: key, sign: (statement: Uint8Array) => sign(null, statement, privateKey) };
  const lines: string[] = [];
  const storage = { append: async (line: string) => void lines.push(line), lines: () => lines };
  const log = await AuditLog.open(name, signer, storage, () => new Date(0));
  await log.note("opened", { site: name });
  for (let at = 0; at < 4; at++) await log.note("card seen", { at, name: "Zürich \u2028 😀" });
  return { member: { role: "party", name, signing: key.toString("base64") }, key, log, lines };
}

type Receipt = readonly LogVerdict[] | string;

interface Request {
  readonly members: readonly { role: string; name: string; signing: string }[];
  readonly texts: Readonly<Record<string, string>>;
}

/** What both hosts are asked, each with its own `verifyAudit`. */
const receiptOf =
  (verify: typeof verifyAudit) =>
  ({ members, texts }: Request): Promise<Receipt> =>
    verify(
      members,
      Object.entries(texts).map(([path, text]) => ({ path, text })),
    ).catch((error: Error) => error.message);

const inNode = receiptOf(verifyAudit);
let whole: Request;
let bank: Awaited<ReturnType<typeof site>>;

beforeAll(async () => {
  bank = await site("bank");
  const hospital = await site("hospital");
  await hospital.log.witness(bank.log.head, bank.key);
  await bank.log.note("finished", {});
  const texts = { "bank.log": `${bank.lines.join("\n")}\n`, "hospital.log": `${hospital.lines.join("\n")}\n` };
  whole = { members: [bank.member, hospital.member], texts };
});

/** The request with another log of the bank. */
const withBank = (text: string): Request => ({ ...whole, texts: { ...whole.texts, "bank.log": text } });

function requests(): Request[] {
  const text = whole.texts["bank.log"]!;
  const changed = Array.from({ length: text.length - 1 }, (_, at) => at)
    .filter((at) => at % 17 === 0 && text[at] !== "\n")
    .map((at) => withBank(text.slice(0, at) + (text[at] === "7" ? "8" : "7") + text.slice(at + 1)));
  const lines = bank.lines;
  const [first, second] = whole.members as [Request["members"][number], Request["members"][number]];
  const swapped = [
    { ...first, signing: second.signing },
    { ...second, signing: first.signing },
  ];
  return [
    ...changed,
    withBank(lines.slice(0, 3).join("\n").concat("\n")),
    withBank(lines.toSpliced(2, 1).join("\n").concat("\n")),
    { ...whole, members: swapped },
    { ...whole, members: [second] },
    { ...whole, members: [{ ...first, signing: "no key" }, second] },
  ];
}

const isClean = (receipt: Receipt) => typeof receipt !== "string" && receipt.every(({ faults }) => faults.length === 0);

it("Node finds nothing in whole logs, and something in every changed one", async () => {
  expect(await inNode(whole)).toEqual([
    { path: "bank.log", site: "bank", entries: 6, vouchedBy: ["hospital"], faults: [] },
    { path: "hospital.log", site: "hospital", entries: 6, vouchedBy: [], faults: [] },
  ]);
  for (const request of requests()) expect(isClean(await inNode(request))).toBe(false);
});

describe.skipIf(!found)(`a page${without}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser?.close());

  const { text: script } = buildSync({
    stdin: { contents: 'export { verifyAudit } from "moiety/browser";', resolveDir: root },
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    globalName: "moiety",
    logLevel: "error",
  }).outputFiles[0]!;

  async function receiptsIn(page: Page, asked: readonly Request[]): Promise<Receipt[]> {
    await page.addScriptTag({ content: `${script}; globalThis.receiptOf = ${receiptOf};` });
    return page.evaluate(async (all) => {
      // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not here.
      const { receiptOf, moiety } = globalThis as any;
      const receipts = [];
      for (const each of all) receipts.push(await receiptOf(moiety.verifyAudit)(each));
      return receipts;
    }, asked);
  }

  it("gives the receipts of Node for whole and for changed logs", async () => {
    const { address, close } = await serve(root, false);
    const page = await browser.newPage();
    try {
      await page.goto(address);
      const asked = [whole, ...requests()];
      expect(await receiptsIn(page, asked)).toEqual(await Promise.all(asked.map(inNode)));
    } finally {
      await page.close();
      close();
    }
  });

  it("says that it needs HTTPS where a browser hides its cryptography", async () => {
    const page = await browser.newPage();
    await page.route("http://plain.example/", (route) => route.fulfill({ contentType: "text/html", body: "" }));
    await page.goto("http://plain.example/");
    expect(await receiptsIn(page, [whole])).toEqual([expect.stringMatching(/serve it over HTTPS/)]);
    await page.close();
  });
});
