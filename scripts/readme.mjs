// Runs the README's commands with the built package, in a folder of their own, and puts what they print below them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = mkdtempSync(join(tmpdir(), "moiety-readme-"));
const prompt = "    $ npx moiety ";

function run(command) {
  const args = [join(root, "dist", "cli", "main.js"), ...command.split(" ")];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  return `${stdout}${stderr}`.trimEnd();
}

const path = join(root, "README.md");
// A command, or several, and the bare fence with the output of the last one.
const block = /((?: {4}\$ npx moiety .*\n)+)(?:\n```\n[\s\S]*?\n```\n)?/g;
const filled = readFileSync(path, "utf8").replace(block, (before, commands) => {
  const printed = commands
    .trimEnd()
    .split("\n")
    .map((line) => run(line.slice(prompt.length)));
  return before === commands ? before : `${commands}\n\`\`\`\n${printed.at(-1)}\n\`\`\`\n`;
});
writeFileSync(path, filled);
rmSync(folder, { recursive: true, force: true });
