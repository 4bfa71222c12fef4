import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();

it("demo ends by itself, with a fair result, a report, and what left each site", async () => {
  const { code, stdout, stderr } = await work.run("demo", "--n", "500", "--folder", "here");
  expect(stderr).not.toMatch(/^moiety:/m);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^500 people in 4 clusters by f3km, 6 dimensions at 3 sites/m);
  expect(stdout).toMatch(/^Fair:/m);
  for (const site of ["bank-a", "bank-b", "hospital"]) expect(stdout).toMatch(new RegExp(`^left ${site}`, "m"));
  expect(stderr).toMatch(/The report is here.report\.html/);
  expect(existsSync(work.path("here/report.html"))).toBe(true);
  const again = await work.run("demo", "--folder", "here");
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/cannot make the folder here: it exists already/);
});
