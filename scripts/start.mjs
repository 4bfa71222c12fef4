// The main job, as a newcomer would see it: a federation on this machine, through the built command.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const command = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "cli", "main.js");
console.log("$ npx moiety demo");
const done = spawnSync(process.execPath, [command, "demo"], { stdio: "inherit" });
process.exit(done.status ?? 1);
