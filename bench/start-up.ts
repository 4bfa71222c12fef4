import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, seedsOf } from "./figure.js";
import { runProgram } from "./speed/process.js";
import { inTemporaryFolder } from "./temporary.js";
import type { Bench, Sheet } from "./types.js";

/** Written by the measured process itself, on its way out: user and system time, in microseconds. */
const meter = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeFileSync(process.env.MOIETY_METER, String(user + system));
});`;

const command = fileURLToPath(new URL("../cli/main.js", import.meta.url));
const measured: Readonly<Record<string, readonly string[]>> = {
  "node -e 0": ["-e", "0"],
  "moiety --version": [command, "--version"],
  "moiety --help": [command, "--help"],
  "moiety cluster --help": [command, "cluster", "--help"],
  "moiety job --help": [command, "job", "--help"],
};
/** Processes for each seed: one alone says little about a few hundredths of a second. */
const repetitions = 10;
const mostOfVersion = 1.5;

/** The processor time of a command that does nothing, against bare Node: the least of several runs. */
export async function startUp({ options, signal, say }: Bench): Promise<Sheet[]> {
  const least: Record<string, number[]> = Object.fromEntries(Object.keys(measured).map((name) => [name, []]));
  await inTemporaryFolder(async (folder) => {
    const [preload, meterFile] = [join(folder, "meter.cjs"), join(folder, "meter")];
    await writeFile(preload, meter);
    for (const seed of seedsOf(options.seeds)) {
      for (const [name, args] of Object.entries(measured)) {
        say(`${name}, ${seed} of ${options.seeds}`);
        let best = Number.POSITIVE_INFINITY;
        for (let i = 0; i < (options.quick ? 1 : repetitions); i++) {
          await runProgram({
            program: process.execPath,
            args: ["-r", preload, ...args],
            environment: { MOIETY_METER: meterFile },
            what: name,
            signal,
          });
          best = Math.min(best, Number(await readFile(meterFile, "utf8")) / 1e6);
        }
        least[name].push(best);
      }
    }
  });
  const [bare] = Object.values(least);
  const lines = Object.entries(least).map(([name, seconds]) => ({
    at: { command: name },
    figures: {
      "processor time": figure(seconds, "s"),
      "of bare Node": figure(
        seconds.map((each, index) => each / bare[index]),
        "x",
        name === "moiety --version" ? { goal: { atMost: mostOfVersion } } : {},
      ),
    },
  }));
  return [{ title: "Processor time until a command that computes nothing has ended", lines, notes: [] }];
}
