// What the GitHub Action does: measures labels, writes what it finds to the summary of the run, and fails where they are unfair.
// MOIETY_COMMAND names another command than the published package's.
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";

const { env } = process;
const options = ["protect", "id", "delta", "bounds", "tolerance"].flatMap((name) => {
  const value = env[`MOIETY_${name.toUpperCase()}`];
  return value ? [`--${name}`, value] : [];
});
const more = (env.MOIETY_ARGUMENTS ?? "").split(/\s+/).filter((word) => word !== "");
const args = ["evaluate", env.MOIETY_DATA_FILE, "--labels", env.MOIETY_LABELS, ...options, ...more];
const [program, ...before] = env.MOIETY_COMMAND?.split(" ") ?? [
  "npx",
  "--yes",
  `moiety@${env.MOIETY_VERSION || "latest"}`,
];

function run(...further) {
  const shell = process.platform === "win32";
  return spawnSync(program, [...before, ...args, ...further], { encoding: "utf8", maxBuffer: 1 << 30, shell });
}

function tell(file, text) {
  if (file) appendFileSync(file, text);
}

const measured = run("--json");
if (measured.status !== 0) {
  process.stdout.write(`::error::${(measured.stderr || measured.error?.message || "moiety failed").trim()}\n`);
  process.exit(measured.status || 1);
}
// Such as people without a label, who are left out of the measures.
for (const [, warning] of measured.stderr.matchAll(/^warning: (.*)$/gm))
  process.stdout.write(`::warning::${warning}\n`);
const { fair = null, verdict = null } = JSON.parse(measured.stdout);
const { stdout: text } = run();
process.stdout.write(text);
tell(env.GITHUB_OUTPUT, `fair=${fair}\nverdict=${verdict}\n`);
tell(env.GITHUB_STEP_SUMMARY, `### Moiety: ${verdict ?? "measured"}\n\n\`\`\`\n${text}\n\`\`\`\n`);
if (fair === false) {
  process.stdout.write("::error::The labels are not fair: a protected group is outside its bounds in a cluster.\n");
  process.exit(1);
}
if (fair === null) process.stdout.write("::warning::Nothing was judged: these measures have no threshold.\n");
