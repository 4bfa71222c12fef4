import * as z from "zod";
import { failed } from "../../errors.js";
import { version } from "../../version.js";
import type { Identity, Kit } from "../identity/kit.js";
import type { Conversation } from "../transport/conversation.js";
import { wireVersions } from "../transport/frame.js";
import { checked } from "./checked.js";
import { checkSoftware, commonWire } from "./versions.js";

// Loose: a later minor version may say more.
const schema = z.looseObject({
  federation: z.string(),
  role: z.string(),
  name: z.string(),
  /** Of moiety itself. */
  software: z.string().max(64),
  wire: z.strictObject({ oldest: z.number().int(), newest: z.number().int() }),
  /** The number of the newest list of members that it knows. */
  members: z.number().int().min(0),
});

/** The first question of everybody who dials. */
export function hello({ federation, role, name, roster }: Kit): z.infer<typeof schema> {
  return { federation, role, name, software: version, wire: wireVersions, members: roster.number };
}

/** What a greeting leads to. */
export interface Greeted {
  /** The version of the wire contract that both sides speak from now on. */
  readonly wire: number;
  readonly software: string;
  /** Which list of members the other side knows. */
  readonly members: number;
}

/** Throws when the greeting names another member than the certificate, or another federation, or a version too far away. */
export function checkGreeting(value: unknown, shown: Identity, federation: string): Greeted {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw failed("that was no greeting of this version");
  const { role, name, software, wire, members } = parsed.data;
  if (parsed.data.federation !== federation) throw failed("this is another federation");
  if (role !== shown.role || name !== shown.name) {
    throw failed(`the certificate is that of ${shown.role} '${shown.name}', and not of '${name}'`);
  }
  checkSoftware(software);
  return { wire: commonWire(wireVersions, wire), software, members };
}

const welcomeSchema = z.looseObject({ wire: z.number().int().optional() }).nullable();

/** Greets, and speaks the version of the wire contract that the coordinator has chosen; one that chooses none speaks the oldest. */
export async function greet(conversation: Conversation, kit: Kit, patience: number): Promise<void> {
  const { meta } = await conversation.ask("hello", hello(kit), { patience });
  const { wire = wireVersions.oldest } = checked(welcomeSchema, meta) ?? {};
  conversation.wire = commonWire(wireVersions, { oldest: wire, newest: wire });
}
