import * as z from "zod";

/** The files that people write, and what each holds. */
export const writtenFiles = {
  federation: "who takes part in a federation (federation.yaml)",
  job: "what is asked of its sites (job.yaml)",
  policy: "what a site allows (policy.yaml)",
  oidc: "who may log in to a page (oidc.yaml)",
  bounds: "the bounds of groups (bounds.json)",
  box: "what is publicly known of each column (box.json)",
} as const;

export type WrittenFile = keyof typeof writtenFiles;

/** The name of the schema of such a file, in the same folder. */
export function schemaFile(name: WrittenFile): string {
  return `${name}.schema.json`;
}

/** The first line of a YAML file: editors find the schema by it, and complete and check what is typed. */
export function schemaLine(name: WrittenFile): string {
  return `# yaml-language-server: $schema=${schemaFile(name)}\n`;
}

/** The shape of such a file as JSON Schema. Rules beyond a single value are checked when the file is used. */
export function jsonSchema(name: WrittenFile, shape: z.ZodType): string {
  return `${JSON.stringify({ title: writtenFiles[name], ...z.toJSONSchema(shape, { io: "input" }) }, null, 2)}\n`;
}
