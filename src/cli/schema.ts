import type { Command } from "commander";
import { jsonSchema, type WrittenFile, writtenFiles } from "../federation/editor-schema.js";
import { print } from "./session.js";
import { choice } from "./values.js";

const names = Object.keys(writtenFiles) as WrittenFile[];

const help = `
Files:
${names.map((name) => `  ${name.padEnd(12)}${writtenFiles[name]}`).join("\n")}

Example:
  $ moiety schema job > job.schema.json`;

export function define(command: Command): void {
  command
    .argument("<file>", `whose schema: ${names.join(", ")}`, choice("file", names))
    .addHelpText("after", help)
    .action(async (name: WrittenFile) => print(jsonSchema(name, await shapes[name]()).trimEnd()));
}

const shapes = {
  federation: async () => (await import("../federation/provision.js")).federationSchema,
  job: async () => (await import("../federation/consent/card.js")).jobSchema,
  policy: async () => (await import("../federation/consent/policy.js")).policySchema,
  oidc: async () => (await import("../pages/oidc-settings.js")).oidcSchema,
  bounds: async () => (await import("./bounds.js")).boundsShape(await import("zod")),
  box: async () => (await import("./private.js")).boxShape(await import("zod")),
};
