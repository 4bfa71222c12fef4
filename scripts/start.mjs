// The main job, as a newcomer would do it: a fair clustering of an invented population, through the built command.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const command = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "cli", "main.js");
const folder = mkdtempSync(join(tmpdir(), "moiety-start-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function moiety(...args) {
  console.log(`\n$ npx moiety ${args.join(" ")}`);
  const done = spawnSync(process.execPath, [command, ...args], { cwd: folder, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

moiety("generate", "people", "--n", "20000", "--seed", "1", "-o", "people.csv");
const request = ["--k", "5", "--protect", "sex,ethnicity", "--id", "person"];
moiety("cluster", "people.csv", ...request, "--labels", "labels.csv", "--model", "model.json");
console.log("\nThose files were temporary. Run the same commands to keep them; npx moiety --help shows the others.");
