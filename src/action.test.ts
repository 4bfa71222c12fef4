import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { command, Workplace } from "./cli/testing/command.js";

const root = join(import.meta.dirname, "..");
const work = new Workplace();

function act(labels: string, protect = "sex,ethnicity") {
  const [summary, output] = [join(work.folder, "summary"), join(work.folder, "output")];
  const { status, stdout } = spawnSync(process.execPath, [join(root, "action", "evaluate.mjs")], {
    cwd: work.folder,
    encoding: "utf8",
    env: {
      ...process.env,
      MOIETY_COMMAND: `${process.execPath} ${command}`,
      ...{ MOIETY_DATA_FILE: "people.csv", MOIETY_LABELS: labels, MOIETY_PROTECT: protect, MOIETY_ID: "person" },
      ...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
    },
  });
  return { status, stdout, output: () => readFileSync(output, "utf8"), summary: () => readFileSync(summary, "utf8") };
}

it("passes fair labels, and fails unfair ones", async () => {
  await work.run("generate", "people", "--n", "1500", "--seed", "2", "-o", "people.csv");
  const base = ["cluster", "people.csv", "--k", "4", "--protect", "sex,ethnicity", "--id", "person"];
  await work.run(...base, "--labels", "fair.csv");
  await work.run(...base, "--algorithm", "lloyd", "--labels", "plain.csv");
  const fair = act("fair.csv");
  expect(fair.status).toBe(0);
  expect(fair.output()).toContain("fair=true\n");
  const plain = act("plain.csv");
  expect(plain.status).toBe(1);
  expect(plain.stdout).toContain("::error::The labels are not fair");
  expect(plain.output()).toContain("fair=false\nverdict=unfair\n");
  expect(plain.summary()).toContain("### Moiety: unfair");
  const wrong = act("nowhere.csv");
  expect(wrong.status).toBe(2);
  expect(wrong.stdout).toMatch(/^::error::moiety: /);
  work.write("some.csv", work.read("fair.csv").split("\n").slice(0, 1001).join("\n"));
  expect(act("some.csv").stdout).toContain("::warning::500 of 1500 rows have no label");
});

it("hands every input to the script, and what the script tells to the workflow", () => {
  const { inputs, outputs, runs } = parse(readFileSync(join(root, "action.yml"), "utf8"));
  const given = Object.values(runs.steps[0].env as Record<string, string>).join(" ");
  for (const name of Object.keys(inputs)) expect(given).toContain(`inputs.${name} }}`);
  for (const name of Object.keys(outputs))
    expect(outputs[name].value).toBe(`\${{ steps.${runs.steps[0].id}.outputs.${name} }}`);
  const script = readFileSync(join(root, "action", "evaluate.mjs"), "utf8");
  const names = Object.keys(runs.steps[0].env).filter((name) => !script.includes(name));
  expect(names).toEqual(["MOIETY_PROTECT", "MOIETY_ID", "MOIETY_DELTA", "MOIETY_BOUNDS", "MOIETY_TOLERANCE"]);
});
