import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { version } from "../version.js";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const root = join(import.meta.dirname, "..", "..");
const has = (shell: string) => spawnSync(shell, ["-c", "true"], { stdio: "ignore" }).status === 0;
const unless = (shell: string) => (has(shell) ? "" : ` (skipped: no ${shell} here)`);

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await work.run("completion", shell);
    expect(code).toBe(0);
    work.write(`moiety.${shell}`, stdout);
  }
});

describe.skipIf(!has("bash"))(`bash${unless("bash")}`, () => {
  /** What is offered for the last of these words. */
  function offered(...words: string[]): string[] {
    const script = `source ./moiety.bash; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _moiety; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: work.folder, encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((word) => word !== "");
  }

  it("completes commands, commands below them, and their options", () => {
    expect(offered("moiety", "cl")).toEqual(["cluster"]);
    expect(offered("moiety", "cluster", "people.csv", "--del")).toEqual(["--delta", "--delta-dp"]);
    expect(offered("moiety", "job", "sub")).toEqual(["submit"]);
    expect(offered("moiety", "job", "submit", "--verb")).toEqual(["--verbose"]);
    expect(offered("moiety", "audit", "")).toContain("verify");
  });

  it("leaves files to the shell", () => {
    expect(offered("moiety", "cluster", "peo")).toEqual([]);
  });
});

describe.skipIf(!has("zsh"))(`zsh${unless("zsh")}`, () => {
  it("takes the script, and knows the command", () => {
    const script =
      "autoload -U compinit; compinit -u -d ./zcompdump; source ./moiety.zsh; echo $_comps[moiety]; whence -w _moiety_job_submit";
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], { cwd: work.folder, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toBe("_moiety\n_moiety_job_submit: function\n");
  });

  it("completes commands, commands below them, and their options when Tab is pressed", () => {
    // A shell of its own in a terminal of its own; ^X there keeps the line as Tab has completed it.
    const typist = `zmodload zsh/zpty
zpty -b shell zsh -f -i
kept() { until [[ -e completed && $(wc -l < completed) -ge $1 ]]; do zpty -r -t shell said; sleep 0.05; done }
zpty -w shell 'autoload -U compinit; compinit -u -d ./zcompdump; source ./moiety.zsh; keep() { print -r -- $BUFFER >> completed; BUFFER= }; zle -N keep; bindkey "^X" keep; echo ready >> completed'
kept 1
lines=1
for line in "$@"; do zpty -w -n shell "$line"$'\t\x18'; kept $((++lines)); done
zpty -d shell`;
    const lines = ["moiety cl", "moiety job sub", "moiety cluster people.csv --max-it", "moiety audit ver"];
    spawnSync("zsh", ["-f", "-c", typist, "typist", ...lines], { cwd: work.folder });
    expect(work.read("completed").trimEnd().split(/ ?\n/)).toEqual([
      "ready",
      "moiety cluster",
      "moiety job submit",
      "moiety cluster people.csv --max-iter",
      "moiety audit verify",
    ]);
  });
});

describe.skipIf(!has("fish"))(`fish${unless("fish")}`, () => {
  it("completes commands, commands below them, and their options", () => {
    const offered = (line: string) => {
      const script = `source ./moiety.fish; complete -C '${line}'`;
      const { stdout } = spawnSync("fish", ["--no-config", "-c", script], {
        cwd: work.folder,
        encoding: "utf8",
        env: { ...process.env, HOME: work.folder },
      });
      return stdout.split("\n").map((each) => each.split("\t")[0]);
    };
    expect(offered("moiety clu")).toContain("cluster");
    expect(offered("moiety job sub")).toContain("submit");
    expect(offered("moiety cluster --del")).toEqual(expect.arrayContaining(["--delta", "--delta-dp"]));
  });
});

it("a shell that is not known is refused with those that are", async () => {
  const { code, stderr } = await work.run("completion", "basch");
  expect(code).toBe(2);
  expect(stderr).toMatch(/^moiety: unknown shell 'basch'.*bash/);
});

it("doctor says what works, and what is missing, in text and as JSON", async () => {
  const { code, stdout } = await work.run("doctor");
  expect(code).toBe(0);
  expect(stdout).toContain("Moiety works here.");
  const { stdout: json } = await work.run("doctor", "--json");
  const { works, findings, version: own } = JSON.parse(json);
  expect({ works, own }).toEqual({ works: true, own: version });
  expect(findings.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(["Node.js", "threads", "shared memory", "DuckDB", "Chromium", "Python", "Java machine"]),
  );
  // What is there needs nothing; what is not says how to get it.
  for (const { found, missing } of findings) expect(found === null).toBe(missing !== null);
});

it("init writes a project that runs, and overwrites nothing", async () => {
  expect((await work.run("init", "project")).stdout).toContain("Next: cd project && npm install && npm start");
  const folder = work.path("project");
  mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules", "moiety"));
  symlinkSync(join(root, "dist", "cli", "main.js"), join(folder, "node_modules", ".bin", "moiety"));
  const npm = (...args: string[]) => spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  expect(npm("start")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("Wrote labels.csv, model.json and report.html."),
  });
  expect(npm("run", "check")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("2,000 people in 4 clusters"),
  });
  expect(npm("run", "federation")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/2000 people in 4 clusters .*: fair/),
  });
  for (const file of ["project/people.csv", "project/people.csv/new"]) {
    const { code, stderr } = await work.run("init", file);
    expect(code).toBe(2);
    expect(stderr).toContain(`the folder ${file} cannot be made: it is a file, or in one`);
  }
  const { code, stderr } = await work.run("init", "project");
  expect(code).toBe(2);
  expect(stderr).toContain("nothing is overwritten: name a new folder");
});
