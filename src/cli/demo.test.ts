import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();

it("demo ends by itself, with a fair result, a report, and what left each site", async () => {
  const { code, stdout, stderr } = await work.run("demo", "--n", "500", "--folder", "here");
  expect(stderr).not.toMatch(/^moiety:/m);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^500 people in 4 clusters by f3km, 6 dimensions at 3 sites/m);
  // A newcomer's first result means something.
  expect(stdout).toMatch(/^Fair( to rounding)?:/m);
  for (const site of ["bank-a", "bank-b", "hospital"]) expect(stdout).toMatch(new RegExp(`^left ${site}`, "m"));
  expect(stdout).toMatch(/^Held twice: bank-a's feature income counts, and not that of bank-b \(feature income\)/m);
  expect(stdout).toMatch(/^the coordinator could learn of +this, and nothing else/m);
  for (const site of ["coordinator", "bank-a", "bank-b", "hospital"]) {
    expect(stdout).toMatch(new RegExp(`^${site} .* right$`, "m"));
  }
  expect(stderr).toMatch(/aligning ids, \d+%|job \w+: done/);
  expect(stderr).toMatch(/The report is here.report\.html/);
  expect(existsSync(work.path("here/report.html"))).toBe(true);
  const again = await work.run("demo", "--folder", "here");
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/cannot make the folder here: it exists already/);
});

it("demo without a folder leaves nothing behind, also on Ctrl-C", async () => {
  // Temporary files of its own processes go where this says.
  mkdirSync(work.path("temporary"));
  const env = { ...process.env, TMPDIR: work.path("temporary") };
  const { code, stderr } = await work.start({ env }, "demo", "--n", "200").done;
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/Nothing of this is kept; moiety demo --folder demo keeps kits, data and report/);
  expect(readdirSync(work.path("temporary"))).toEqual([]);
  const interrupted = work.start({ env }, "demo", "--n", "200");
  await new Promise((resolve) =>
    interrupted.process.stderr?.on("data", (text) => /job submit/.test(text) && resolve(0)),
  );
  interrupted.process.kill("SIGINT");
  expect((await interrupted.done).code).toBe(130);
  expect(readdirSync(work.path("temporary"))).toEqual([]);
});

describe("moiety audit", () => {
  const kit = ["--kit", "here/kits/bank-a"];
  const log = "here/kits/bank-a/state/audit.log";
  const others = ["coordinator", "bank-b", "hospital"].map((name) => `here/kits/${name}/state/audit.log`);

  it("shows what a site has done, and verifies it", async () => {
    const shown = await work.run("audit", "show", ...kit);
    expect(shown.code).toBe(0);
    for (const what of ["card seen", "consent", "begun", "sent", "finished"]) expect(shown.stdout).toContain(what);
    const { code, stdout } = await work.run("audit", "verify", "--offline", ...kit, ...others, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ right: true, logs: [{ site: "bank-a", faults: [] }, {}, {}, {}] });
  });

  it("exits with 1 on a log that was rewritten, cut or swapped, and with 2 where there is none", async () => {
    const whole = work.read(log);
    const lines = whole.trimEnd().split("\n");
    const changes: [string, RegExp][] = [
      [
        whole.replace('"approval":"automatic"', '"approval":"manual"'),
        /Entry 2 of the audit log of bank-a was changed/,
      ],
      [`${lines.slice(0, 3).join("\n")}\n`, /The audit log of bank-a was cut: it has 3 entries/],
      [work.read(others[1]), /Entry 0 of the audit log of bank-a does not follow/],
    ];
    for (const [text, line] of changes) {
      work.write(log, text);
      const { code, stdout, stderr } = await work.run("audit", "verify", "--offline", ...kit, ...others);
      expect(code).toBe(1);
      expect(stdout).toMatch(line);
      expect(stderr).toBe("");
    }
    work.write(log, whole);
    for (const args of [
      [...kit, "nowhere.log"],
      ["--kit", "here/kits/alice"],
      [...kit, "here/job.yaml"],
    ]) {
      const { code, stderr } = await work.run("audit", "verify", "--offline", ...args);
      expect(code).toBe(2);
      expect(stderr.trim().split("\n").length).toBe(1);
    }
  });
});
