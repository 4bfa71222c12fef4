import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { command, Workplace } from "../cli/testing/command.js";
import { freePort } from "./testing/federation.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const deploy = join(root, "deploy");
const read = (name: string) => readFileSync(join(deploy, name), "utf8");
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

interface Service {
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
}

it("runs the demo of the compose file: the same commands as processes, prepared by the same script", async () => {
  const { services } = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service> };
  const work = new Workplace();
  const moiety = join(work.folder, "moiety");
  writeFileSync(moiety, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(moiety, 0o755);
  const env = {
    ...process.env,
    PATH: `${work.folder}${delimiter}${process.env.PATH}`,
    MOIETY_PORT: `${await freePort()}`,
  };
  expect(services.prepare.entrypoint?.slice(0, 3)).toEqual(["sh", "/prepare.sh", "coordinator"]);
  const prepared = spawnSync("sh", [join(deploy, "prepare.sh"), "127.0.0.1"], { cwd: work.folder, env });
  expect(`${prepared.stderr}`).toBe("");
  const { analyst, prepare: _, ...members } = services;
  const processes = Object.values(members).map((each) => work.start({ env }, ...each.command!));
  onTestFinished(() => {
    for (const { process: child } of processes) child.kill("SIGKILL");
  });
  const ended = Promise.race(processes.map(({ done }) => done)).then(({ stderr }) => Promise.reject(new Error(stderr)));
  const finished = async () => {
    for (let tries = 0; ; tries++) {
      const done = await work.start({ env }, ...analyst.command!).done;
      // As `restart: on-failure` does, until the coordinator listens.
      if (done.code === 0 || tries === 100 || !done.stderr.includes("cannot be reached")) return done;
    }
  };
  const { code, stdout, stderr } = await Promise.race([finished(), ended]);
  expect(stderr).not.toMatch(/^moiety:/m);
  expect(code).toBe(0);
  expect(stdout).toContain("1,000 people in 4 clusters");
  expect(existsSync(work.path("report.html"))).toBe(true);
});

it("has units that systemd understands, whose command lines the program has", () => {
  const units = readdirSync(join(deploy, "systemd"));
  expect(units).toHaveLength(2);
  for (const unit of units) {
    const [, line] = /^ExecStart=\/usr\/bin\/env moiety (.*)$/m.exec(read(`systemd/${unit}`))!;
    const [name, ...rest] = line.split(" ");
    const help = spawnSync(process.execPath, [command, name, "--help"]).stdout.toString();
    for (const option of rest.filter((each) => each.startsWith("--"))) expect(help).toContain(`${option} `);
  }
  if (!has("systemd-analyze", "--version")) return console.warn("skipped: systemd-analyze is not here");
  const { status, stderr } = spawnSync("systemd-analyze", [
    ...["verify", "--man=no", "--recursive-errors=no"],
    ...units.map((unit) => join(deploy, "systemd", unit)),
  ]);
  expect(`${stderr}`.split("\n").filter((each) => each.includes("moiety-"))).toEqual([]);
  expect(status).toBe(0);
});

it("has an image whose files are there, built where there is an engine", () => {
  const dockerfile = read("Dockerfile");
  for (const [, from] of dockerfile.matchAll(/^COPY (?!--from)(\S+)/gm))
    expect(existsSync(join(root, from))).toBe(true);
  expect(dockerfile).toMatch(/^USER node$/m);
  if (!has("docker", "info")) return console.warn("skipped: no Docker engine is running here");
  const { status, stderr } = spawnSync("docker", ["build", "-f", join(deploy, "Dockerfile"), root]);
  expect(`${status} ${stderr}`).toMatch(/^0 /);
});
