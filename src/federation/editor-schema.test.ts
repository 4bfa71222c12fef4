import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { jobSchema } from "./consent/card.js";
import { jobTemplate } from "./consent/job-template.js";
import { policySchema, policyTemplate } from "./consent/policy.js";
import { jsonSchema, type WrittenFile } from "./editor-schema.js";
import { federationSchema, makeKits, parseFederation } from "./provision.js";

/** What an editor that knows the schema says of a file. */
function accepts(name: WrittenFile, shape: z.ZodType, text: string): boolean {
  return z.fromJSONSchema(JSON.parse(jsonSchema(name, shape))).safeParse(parse(text)).success;
}

it("accepts the files that we write, and those of the documents", () => {
  expect(accepts("policy", policySchema, policyTemplate(["alice"]))).toBe(true);
  expect(accepts("job", jobSchema, jobTemplate(["bank", "clinic"]))).toBe(true);
  const page = readFileSync(new URL("../../docs/reference/federation.md", import.meta.url), "utf8");
  const [federation, job, rows] = Array.from(page.matchAll(/```yaml\n([\s\S]*?)```/g), ([, text]) => text);
  expect(accepts("federation", federationSchema, federation)).toBe(true);
  expect(accepts("job", jobSchema, job)).toBe(true);
  expect(accepts("job", jobSchema, rows)).toBe(true);
});

it("refuses what the program refuses: unknown words, wrong kinds, numbers out of range", () => {
  const job = jobTemplate(["bank", "clinic"]);
  expect(accepts("job", jobSchema, `${job}colour: red`)).toBe(false);
  expect(accepts("job", jobSchema, job.replace("k: 4", "k: four"))).toBe(false);
  expect(accepts("job", jobSchema, job.replace("delta: 0.2", "delta: 2"))).toBe(false);
  expect(accepts("policy", policySchema, "approval: perhaps\nanalysts: []\nalgorithms: []\nfeatures: []")).toBe(false);
});

it("stands in the kits, where the first line of a policy points to it", async () => {
  const plan = parseFederation("coordinator: { host: h }\nparties: [a, b]\nanalysts: [alice]", "federation.yaml");
  const kits = await makeKits(plan, new Date(0));
  const [line] = kits.get("a")!["policy.yaml"].split("\n");
  expect(line).toBe("# yaml-language-server: $schema=policy.schema.json");
  expect(JSON.parse(kits.get("a")!["policy.schema.json"])).toMatchObject({ type: "object" });
  expect(Object.keys(kits.get("alice")!)).toContain("job.schema.json");
});
