import * as z from "zod";
import { failed } from "../../errors.js";
import { version } from "../../version.js";
import type { Identity, Kit } from "../identity/kit.js";

const schema = z.strictObject({
  federation: z.string(),
  role: z.string(),
  name: z.string(),
  /** Of moiety itself: labels are the same only where the arithmetic is. */
  software: z.string(),
  /** The number of the newest list of members that it knows. */
  members: z.number().int().min(0),
});

/** The first question of everybody who dials. */
export function hello({ federation, role, name, roster }: Kit): z.infer<typeof schema> {
  return { federation, role, name, software: version, members: roster.number };
}

/** Throws when the greeting names another member than the certificate, or another federation or version. Returns which list of members it knows. */
export function checkGreeting(value: unknown, shown: Identity, federation: string): number {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw failed("that was no greeting of this version");
  const { role, name, software } = parsed.data;
  if (parsed.data.federation !== federation) throw failed("this is another federation");
  if (role !== shown.role || name !== shown.name) {
    throw failed(`the certificate is that of ${shown.role} '${shown.name}', and not of '${name}'`);
  }
  if (software !== version) {
    throw failed(`moiety ${software} there and ${version} here: install the same version everywhere`);
  }
  return parsed.data.members;
}
