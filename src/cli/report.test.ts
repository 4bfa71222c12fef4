import { beforeAll, describe, expect, it } from "vitest";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();
const asked = ["cluster", "people.csv", "--k", "2", "--protect", "sex", "--id", "person"];

beforeAll(() => {
  work.write("people.csv", smallTable());
});

describe("--report", () => {
  it("writes one page, and says so", async () => {
    const { code, stdout, stderr } = await work.run(...asked, "--report", "page.html", "--labels", "labels.csv");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Wrote labels\.csv and page\.html\.$/m);
    const page = work.read("page.html");
    expect(page.startsWith("<!doctype html>") && page.endsWith("</html>\n")).toBe(true);
    expect(page.includes("moiety cluster people.csv --k 2 --protect sex --id person --report page.html")).toBe(true);
    expect(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/.test(page)).toBe(true);
    // Ids are p000 to p039.
    expect(/\bp0\d\d\b/.test(page)).toBe(false);
    expect(work.files().filter((name) => /page/.test(name))).toEqual(["page.html"]);
  });

  it("is written for an unfair result too", async () => {
    const apart = Array.from({ length: 40 }, (_, i) => `${i < 20 ? i / 10 : 100 + i / 10},${i < 20 ? "F" : "M"}`);
    work.write("apart.csv", `age,sex\n${apart.join("\n")}\n`);
    const unfair = ["cluster", "apart.csv", "--k", "2", "--algorithm", "lloyd", "--protect", "sex"];
    const { stdout } = await work.run(...unfair, "--report", "unfair.html", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ fair: false });
    expect(work.read("unfair.html").includes("Not fair")).toBe(true);
  });

  it("never overwrites what is read or written besides it", async () => {
    expect((await work.run(...asked, "--report", "people.csv")).code).toBe(2);
    const { code, stderr } = await work.run(...asked, "--labels", "x.html", "--report", "x.html");
    expect(code).toBe(2);
    expect(stderr).toMatch(/two results cannot both be written to x\.html/);
    expect((await work.run(...asked, "--report", "nowhere/page.html", "--labels", "none.csv")).code).not.toBe(0);
    expect(work.files()).not.toContain("none.csv");
  });
});
