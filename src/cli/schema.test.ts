import { expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();

it.each(["federation", "job", "policy", "oidc", "bounds", "box"])("schema prints that of %s", async (name) => {
  const { code, stdout } = await work.run("schema", name);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: expect.any(String), $schema: expect.any(String) });
});

it("schema names the files that have one", async () => {
  const { code, stderr } = await work.run("schema", "jobs");
  expect(code).toBe(2);
  expect(stderr).toMatch(/^moiety: .*job.*\n$/);
});

it("job init writes a job that lacks only columns, with its schema beside it, and overwrites nothing", async () => {
  work.write("federation.yaml", "coordinator: { host: 127.0.0.1 }\nparties: [bank, clinic]\nanalysts: [alice]\n");
  expect((await work.run("provision", "federation.yaml", "-o", "kits")).code).toBe(0);
  expect(work.read("kits/bank/policy.yaml")).toMatch(/^# yaml-language-server: \$schema=policy\.schema\.json\n/);
  const { code, stdout } = await work.run("job", "init", "job.yaml", "--kit", "kits/alice");
  expect(code).toBe(0);
  expect(stdout).toContain("Wrote job.yaml and job.schema.json.");
  expect(work.read("job.yaml")).toMatch(/^# yaml-language-server: \$schema=job\.schema\.json\n/);
  expect(JSON.parse(work.read("job.schema.json"))).toHaveProperty("anyOf");
  const check = await work.run("job", "check", "job.yaml", "--kit", "kits/alice");
  expect(check.code).toBe(2);
  expect(check.stderr).toMatch(/^moiety: job\.yaml: .*feature.*\n$/);
  const again = await work.run("job", "init", "job.yaml", "--kit", "kits/alice");
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("job.yaml exists already, and nothing is overwritten: name another file");
});
