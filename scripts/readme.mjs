// Runs the commands of the README and of docs/ with the built package, each document in a folder of its own, and puts
// what they print below them. Names of documents as arguments: only those.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const command = `'${process.execPath}' '${join(root, "dist", "cli", "main.js")}'`;
const prompt = "    $ ";

function documents() {
  const docs = readdirSync(join(root, "docs"), { recursive: true }).filter((name) => name.endsWith(".md"));
  return ["README.md", ...docs.map((name) => join("docs", name)).sort()];
}

function run(line, folder) {
  const options = { cwd: folder, encoding: "utf8" };
  const { stdout, stderr } = spawnSync("sh", ["-c", line.replaceAll("npx moiety", command)], options);
  return `${stdout}${stderr}`.trimEnd();
}

/** A command, or several, and the bare fence with the output of the last one. */
const block = /((?: {4}\$ .*\n)+)(?:\n```\n[\s\S]*?\n```\n)?/g;

function fill(document) {
  const folder = mkdtempSync(join(tmpdir(), "moiety-readme-"));
  const path = join(root, document);
  const filled = readFileSync(path, "utf8").replace(block, (before, commands) => {
    const lines = commands.trimEnd().split("\n");
    const printed = lines.map((line) => run(line.slice(prompt.length), folder));
    return before === commands ? before : `${commands}\n\`\`\`\n${printed.at(-1)}\n\`\`\`\n`;
  });
  writeFileSync(path, filled);
  rmSync(folder, { recursive: true, force: true });
}

for (const document of process.argv.length > 2 ? process.argv.slice(2) : documents()) fill(document);
