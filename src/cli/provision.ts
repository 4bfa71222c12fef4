import type { Command } from "commander";
import { textPairs } from "../report/table.js";
import { readText } from "./input-files.js";
import { printResult } from "./session.js";

const example = `
federation.yaml:
  coordinator: { host: coordinator.example.org, port: 7443 }
  parties: [bank-a, bank-b, hospital]
  analysts: [alice]

Example:
  $ moiety provision federation.yaml -o kits`;

export function define(command: Command): void {
  command
    .argument("<file>", "who takes part, as YAML")
    .requiredOption("-o, --output <folder>", "where the kits go; it must not exist yet")
    .option("--json", "print the kits' folders as JSON")
    .addHelpText("after", example)
    .action(run);
}

async function run(file: string, flags: { readonly output: string; readonly json?: boolean }): Promise<void> {
  const { parseFederation, provision } = await import("../federation/provision.js");
  const plan = parseFederation(await readText("federation", file), file);
  const names = await provision(plan, flags.output, new Date());
  const folders = names.map((name) => [name, `${flags.output}/${name}`] as const);
  const report = `${textPairs(folders)}

Send each site its own folder, and no other, over a channel that you trust. Keep ${flags.output}/authority offline:
whoever has it can join the federation. Each party now writes down in its policy.yaml what it allows.`;
  printResult(flags, Object.fromEntries(folders), report);
}
