import { beforeAll, describe, expect, it } from "vitest";
import { allowedJob, approvalPolicy, LocalFederation } from "./testing/federation.js";

const federation = new LocalFederation();

beforeAll(async () => {
  await federation.work.run("generate", "people", "--n", "150", "--seed", "5", "-o", "all.csv");
  const policies = { "bank-a": approvalPolicy("automatic"), hospital: approvalPolicy("manual") };
  await federation.prepare(federation.work.read("all.csv"), policies);
  for (const name of ["coordinator", "bank-a", "hospital"]) federation.start(name);
  await federation.until("coordinator", /is here.*is here/s);
});

const atHospital = (...args: string[]) => federation.work.run("job", ...args, "--kit", "kits/hospital");

describe("a site whose policy says approval: manual", () => {
  it("lets a job wait, shows its card, and goes on when somebody approves it", async () => {
    const id = await federation.submit(allowedJob);
    await federation.until("hospital", new RegExp(`job ${id} of alice waits for approval: moiety job show ${id}`));
    expect((await federation.job("show", id)).stdout).toMatch(/waiting-for-hospital: hospital to approve/);
    expect((await atHospital("list")).stdout).toMatch(new RegExp(`${id} +waiting for approval +lloyd, k=2 +alice`));
    const { stdout } = await atHospital("show", id.slice(0, 6));
    expect(stdout).toMatch(/^hospital +visits/m);
    expect(stdout).toMatch(/Each person's cluster goes to: parties\. The summary goes to: parties, analyst\./);
    const approved = await atHospital("approve", id);
    expect([approved.code, approved.stdout]).toEqual([0, `${id} approved: the party's process signs it now.\n`]);
    const watched = await federation.job("watch", id);
    expect([watched.code, watched.stdout]).toEqual([0, `${id}: done\n`]);
    expect((await federation.job("list")).stdout).toMatch(new RegExp(`${id} +done`));
    expect((await federation.job("result", id)).stdout).toMatch(/^150 people in 2 clusters by lloyd/m);
    const again = await atHospital("approve", id);
    expect([again.code, again.stderr.trim()]).toEqual([2, expect.stringMatching(/was signed already/)]);
  });

  it("ends a job that somebody there refuses, and says who", async () => {
    const id = await federation.submit(allowedJob);
    await federation.until("hospital", new RegExp(`job ${id} of alice waits`));
    expect((await federation.job("show", id)).stdout).toMatch(/^hospital +consent +yes +approval, since 20/m);
    const tooLong = await atHospital("refuse", id, "--reason", "no ".repeat(200));
    expect([tooLong.code, tooLong.stderr.trim()]).toEqual([2, expect.stringMatching(/one line of at most 300 char/)]);
    const refused = await atHospital("refuse", id, "--reason", "not before the board has met");
    expect(refused.stdout).toBe(`${id} refused.\n`);
    const { code, stderr } = await federation.job("watch", id);
    expect(code).toBe(1);
    expect(stderr).toMatch(/failed: hospital: an operator at the site refused this job: not before the board has met/);
    const late = await federation.job("cancel", id);
    expect([late.code, late.stderr.trim()]).toEqual([2, expect.stringMatching(/is failed already/)]);
    const unknown = await atHospital("approve", "0000");
    expect([unknown.code, unknown.stderr.trim()]).toEqual([
      2,
      expect.stringMatching(/no job '0000' at hospital: none is waiting/),
    ]);
  });

  it("goes on with a state that was put back only when somebody there says that the rest is lost", async () => {
    const log = "kits/hospital/state/audit.log";
    const restored = () => federation.work.run("audit", "restored", "--kit", "kits/hospital");
    const early = await restored();
    expect([early.code, early.stderr.trim()]).toEqual([
      2,
      expect.stringMatching(/nothing is known to be lost at hosp/),
    ]);
    await federation.kill("hospital");
    federation.work.write(log, `${federation.work.read(log).split("\n").slice(0, 4).join("\n")}\n`);
    federation.start("hospital");
    const approved = async () => {
      const id = await federation.submit(allowedJob);
      await federation.until("hospital", new RegExp(`job ${id} of alice waits`));
      await atHospital("approve", id);
      return id;
    };
    const id = await approved();
    await federation.until("coordinator", new RegExp(`job ${id}: paused: hospital: its state was put back: other`));
    await federation.until("hospital", /cannot take part: its state was put back.*audit restored --kit kits.hospital/);
    const said = await restored();
    expect(said.code).toBe(0);
    expect(said.stdout).toMatch(/^hospital continues without the lost part of its state; others have seen \d+ entries/);
    expect((await federation.job("watch", id)).stderr).toMatch(/failed: hospital: job .* is over here/);
    const next = await federation.job("watch", await approved());
    expect([next.code, next.stdout]).toEqual([0, expect.stringMatching(/: done$/m)]);
    const shown = await federation.work.run("audit", "show", "--kit", "kits/hospital");
    expect(shown.stdout).toMatch(/restored +entries \d+/);
  });

  it("cannot cut its log unnoticed: the coordinator has seen it", async () => {
    const log = "kits/hospital/state/audit.log";
    const right = await federation.work.run("audit", "verify", "--kit", "kits/hospital");
    expect([right.code, right.stderr]).toEqual([0, ""]);
    expect(right.stdout).toMatch(/^hospital +\d+ +coordinator +right$/m);
    await federation.kill("hospital");
    const lines = federation.work.read(log).trimEnd().split("\n");
    federation.work.write(log, `${lines.slice(0, 4).join("\n")}\n`);
    const cut = await federation.work.run("audit", "verify", "--kit", "kits/hospital");
    expect(cut.code).toBe(1);
    expect(cut.stdout).toMatch(/The audit log of hospital was cut: it has 4 entries and once had \d+\./);
    // A changed one is not gone on with.
    federation.work.write(log, lines.join("\n").replace("manual", "automatic"));
    federation.start("hospital");
    await federation.until(
      "hospital",
      /entry 2 of the audit log of hospital was changed; keep .*audit\.log for an audit/,
    );
  });
});
