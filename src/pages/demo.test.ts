import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Finished, Workplace } from "../cli/testing/command.js";
import { found, without } from "../report/html/testing/browser.js";
import { faultsOf } from "../report/html/testing/scrutiny.js";
import { type Tab, tabsForTests } from "./testing/tabs.js";

const work = new Workplace();

type Started = ReturnType<Workplace["start"]>;

/** What a process prints, as soon as that matches. */
function printed({ process, done }: Started, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = "";
    process.stdout?.on("data", (more) => {
      text += more;
      const match = pattern.exec(text);
      if (match) resolve(match);
    });
    void done.then(({ stderr }: Finished) => reject(new Error(`ended: ${stderr}`)));
  });
}

async function stop({ process, done }: Started, signal: NodeJS.Signals): Promise<void> {
  process.kill(signal);
  await done;
}

/** Decides on the job that waits at a site, as a person would: first without typing what is asked for. */
async function decide(page: Page, id: string, reason?: string): Promise<void> {
  const verb = reason === undefined ? "Approve" : "Refuse";
  const card = page.locator(`#waiting [aria-labelledby="decide-${id}"]`);
  await card.locator(".rules").waitFor();
  await card.getByRole("button", { name: verb }).click();
  const form = card.getByRole("form", { name: verb });
  const confirm = form.getByRole("button", { name: verb });
  await confirm.click();
  await form.locator(".fault").filter({ hasText: "missing" }).or(form.getByText("Nothing was typed")).first().waitFor();
  if (reason !== undefined) await form.getByLabel("Reason").fill(reason);
  await form.getByLabel(/^Type \w+ to confirm$/).fill(id.slice(0, 4));
  await confirm.click();
  await card.waitFor({ state: "detached" });
}

/** A job on the page of its analyst or of the coordinator. */
const jobOn = (page: Page, id: string) => page.locator(`[aria-labelledby="job-${id}"]`);
const laneOf = (page: Page, id: string, site: string) => jobOn(page, id).locator(".lane").filter({ hasText: site });
const stateOf = (page: Page, id: string, state: string) =>
  jobOn(page, id).locator(".state").filter({ hasText: state }).waitFor();

/** Types into a field, and leaves it. */
async function type(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.press("Enter");
}

/** Submits what the analyst's page has in its form. */
async function submit(page: Page): Promise<string> {
  const said = page.locator("#write").getByText(/^Submitted: job \w+\.$/);
  const before = (await said.count()) > 0 ? await said.textContent() : null;
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.waitForFunction(
    `(before) => { const said = document.querySelector("#write > .here"); return said && said.textContent !== before; }`,
    before,
  );
  return /job (\w+)\./.exec((await said.textContent())!)![1];
}

describe.skipIf(!found)(`the demo in its pages${without}`, () => {
  const open = tabsForTests();

  it("is refused with a reason, waits for a party that was killed, ends well, and its audit is verified", async () => {
    const demo = work.start(
      { env: { ...process.env, FORCE_COLOR: "0" } },
      "demo",
      "--pages",
      "--n",
      "300",
      "--folder",
      "demo",
    );
    onTestFinished(() => stop(demo, "SIGINT"));
    const [table] = await printed(demo, /^page of[\s\S]*^audit .*$/m);
    const served = new Map(
      Array.from(table.matchAll(/^(\S+) +(\d+) +(http\S+)$/gm), ([, whose, pid, address]) => [
        whose,
        { pid: Number(pid), address },
      ]),
    );
    const tabs = new Map<string, Tab>();
    for (const [whose, { address }] of served) tabs.set(whose, await open(address));
    const [analyst, coordinator, bankA, bankB, hospital, audit] = [
      "alice",
      "coordinator",
      "bank-a",
      "bank-b",
      "hospital",
      "audit",
    ].map((whose) => tabs.get(whose)!.page);

    // Every site says beforehand what its policy would.
    await analyst.locator("#foreseen").getByText("Its policy has nothing against this job.").nth(2).waitFor();
    const clusters = analyst.locator(".field").filter({ has: analyst.getByLabel("Clusters (k)") });
    await type(clusters.getByRole("textbox"), "four");
    await clusters.locator(".fault").waitFor();
    expect(await analyst.getByRole("button", { name: "Submit", exact: true }).isDisabled()).toBe(true);
    await type(clusters.getByRole("textbox"), "4");
    const refused = await submit(analyst);
    await decide(bankA, refused);
    await decide(hospital, refused, "we have no contract for this purpose");
    await stateOf(analyst, refused, "Failed");
    for (const page of [analyst, coordinator]) {
      await laneOf(page, refused, "hospital").getByText("we have no contract for this purpose").waitFor();
    }

    // A party signs, answers nobody any more, and is killed.
    const id = await submit(analyst);
    await decide(bankB, id);
    await decide(bankA, id);
    const { pid } = served.get("bank-b")!;
    process.kill(pid, "SIGSTOP");
    await bankB.getByText("The connection is lost").waitFor();
    await decide(hospital, id);
    await laneOf(coordinator, id, "bank-b").getByText("waited for since").waitFor();
    process.kill(pid, "SIGKILL");
    for (const page of [analyst, coordinator]) {
      await jobOn(page, id).getByText("It waits for bank-b.").waitFor();
      await laneOf(page, id, "bank-b").getByText("is not connected; waited for since").waitFor();
      expect(await faultsOf(page)).toEqual([]);
    }
    await coordinator.locator("#members .gone").getByText("not connected").waitFor();

    // It is started again, as the demo says.
    const again = work.start(
      { cwd: work.path("demo") },
      ...["party", "--kit", "kits/bank-b", "--data", "bank-b.csv", "--policy", "bank-b.yaml", "--threads", "1"],
      ...["--page", "127.0.0.1:0"],
    );
    onTestFinished(() => stop(again, "SIGKILL"));
    const restarted = await open((await printed(again, /http\S+/))[0]);
    await stateOf(analyst, id, "Done");
    await jobOn(analyst, id).getByRole("button", { name: "Show the report" }).click();
    await jobOn(analyst, id).locator(".said .verdict").waitFor();
    for (const page of [hospital, restarted.page]) {
      await page.locator("#results").getByRole("button", { name: "Show the report" }).click();
      await page.locator("#results .verdict").waitFor();
      for (const by of ["By kind", "By time", "By job"]) await page.getByRole("button", { name: by }).click();
      await page.locator("#journal tbody").getByText(id).first().waitFor();
    }

    // Policies that let the next job pass without anybody's approval, and a job to compare with.
    for (const page of [bankA, restarted.page, hospital]) {
      const policy = page.getByLabel("What this site allows");
      const text = await policy.inputValue();
      await policy.fill(text.replace("approval: manual", "approval: perhaps"));
      await page.locator("#policy .fault").getByText("approval, line 1").waitFor();
      await policy.fill(text.replace("approval: manual", "approval: automatic"));
      await page.getByRole("button", { name: "Save this policy" }).click();
      await type(page.getByLabel("Type policy to confirm"), "policy");
      await page.getByRole("form", { name: "Save this policy" }).waitFor({ state: "detached" });
    }
    await type(clusters.getByRole("textbox"), "3");
    await analyst.locator("#write .form > .here").waitFor();
    const another = await submit(analyst);
    await stateOf(analyst, another, "Done");
    const compare = analyst.locator("#compare");
    await compare.getByLabel("One job").selectOption(id);
    await compare.getByLabel("Another job").selectOption(id);
    await compare.getByText("This is the same job").waitFor();
    await compare.getByLabel("Another job").selectOption(another);
    await compare.getByRole("button", { name: "Compare", exact: true }).click();
    await compare.locator("tbody tr").first().waitFor();
    const figures = Object.fromEntries(
      await compare.locator("tbody tr").evaluateAll((rows) =>
        rows.map((row) => {
          const [what, ...values] = Array.from(row.children, ({ textContent }) => textContent);
          return [what, values];
        }),
      ),
    );
    expect(figures).toMatchObject({ Clusters: ["4", "3"], People: ["300", "300"], Method: ["f3km", "f3km"] });
    for (const value of figures.SSE) expect(Number(value.replaceAll(",", ""))).toBeGreaterThan(0);

    for (const page of [analyst, coordinator, hospital, restarted.page]) expect(await faultsOf(page)).toEqual([]);
    for (const page of [bankA, restarted.page, hospital]) {
      await page.locator("#jobs tr").filter({ hasText: another }).getByText("Done").waitFor();
    }

    // Nobody is needed to verify what is left: nothing was changed or left out, and one changed byte is found.
    await stop(demo, "SIGINT");
    await stop(again, "SIGKILL");
    const logs = ["coordinator", "bank-a", "bank-b", "hospital"].map((name) =>
      work.path(`demo/kits/${name}/state/audit.log`),
    );
    const kit = work.path("demo/kits/alice/kit.json");
    await audit.getByLabel("Or choose files:").setInputFiles([kit, ...logs]);
    await audit.locator(".verdict .stamp").waitFor();
    expect(await audit.textContent(".verdict .stamp")).toMatch(/Right$/);
    const [saved] = await Promise.all([audit.waitForEvent("download"), audit.click("text=Download the receipt")]);
    const { stdout } = await work.run("audit", "verify", "--offline", "--json", "--kit", "demo/kits/alice", ...logs);
    const verdicts = (text: string) =>
      (JSON.parse(text) as { logs: { site: string; entries: number; faults: string[] }[] }).logs
        .map(({ site, entries, faults }) => [site, entries, faults])
        .sort();
    expect(verdicts(readFileSync((await saved.path())!, "utf8"))).toEqual(verdicts(stdout));
    expect(await faultsOf(audit)).toEqual([]);
    await audit.getByRole("button", { name: "Forget these files" }).click();
    work.write("changed.log", readFileSync(logs[1], "utf8").replace('"time":"2', '"time":"3'));
    await audit.getByLabel("Or choose files:").setInputFiles([kit, work.path("changed.log")]);
    await audit.locator(".verdict.bad").waitFor();
    expect(await faultsOf(audit)).toEqual([]);
    for (const tab of [...tabs.values(), restarted]) expect(tab.complaints).toEqual([]);
  });
});
