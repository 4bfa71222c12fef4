// Runs the commands of the README and of docs/ (lines that begin with $) with the built package, each document in a folder of its
// own, and puts what they print below them. Files that a document shows, below a line with their name, are in that folder. Names of
// documents as arguments: only those. A command that fails where no output below it says so ends this with 1. Run it on an idle machine: what commands print has times in it.
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

/** Budgets of privacy are kept at home: here that is the folder itself. */
function run(line, folder) {
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, HOME: folder, XDG_STATE_HOME: folder } };
  const { stdout, stderr, status } = spawnSync(
    "sh",
    ["-c", line.replace(/^(npx )?moiety(?= )/, () => command)],
    options,
  );
  // How long it will take is foretold on slow machines only.
  const told = stderr.replace(/^this will take about .*\n/m, "");
  return { text: `${stdout}${told}`.trimEnd(), failed: status !== 0 };
}

/** The name of a file, and a fence with what is in it. */
const file = /`([\w.-]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm;

/** A command, or several, and the bare fence with the output of the last one. */
const block = /((?: {4}\$ .*\n)+)(?:\n```\n[\s\S]*?\n```\n)?/g;

function fill(document) {
  const folder = mkdtempSync(join(tmpdir(), "moiety-readme-"));
  const path = join(root, document);
  const text = readFileSync(path, "utf8");
  for (const [, name, content] of text.matchAll(file)) writeFileSync(join(folder, name), content);
  const filled = text.replace(block, (before, commands) => {
    const lines = commands
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(prompt.length));
    const printed = lines.map((line) => run(line, folder));
    const shown = before !== commands;
    printed.forEach(({ failed, text }, at) => {
      if (!failed || (shown && at === lines.length - 1)) return;
      console.error(`${document}: ${lines[at]}\n${text}`);
      process.exitCode = 1;
    });
    return shown ? `${commands}\n\`\`\`\n${printed.at(-1).text}\n\`\`\`\n` : before;
  });
  writeFileSync(path, filled);
  rmSync(folder, { recursive: true, force: true });
}

for (const document of process.argv.length > 2 ? process.argv.slice(2) : documents()) fill(document);
