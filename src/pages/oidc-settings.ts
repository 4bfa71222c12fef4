import * as z from "zod";
import { parseYaml } from "../federation/yaml.js";

const some = z.array(z.string().min(1)).min(1).optional();
const here = /^http:\/\/(127\.0\.0\.1|localhost)(:\d{1,5})?\//;

/** Whether an address is encrypted, or does not leave this machine. */
export function isSafe(address: string): boolean {
  return URL.canParse(address) && (address.startsWith("https://") || here.test(new URL(address).href));
}

/** What oidc.yaml holds. */
export const oidcSchema = z.strictObject({
  issuer: z
    .string()
    .refine(isSafe, "give the provider's address, which begins with https://")
    .describe("The provider that people log in at, by its address."),
  clientId: z
    .string()
    .min(1)
    .describe(
      "The name under which the provider knows this page; its secret, where it has one, is in MOIETY_OIDC_SECRET.",
    ),
  allow: z
    .strictObject({
      subjects: some.describe("The provider's own names of people (sub)."),
      emails: some.describe("Addresses that the provider has verified."),
      groups: some.describe("Groups that the provider says somebody is in (groups)."),
    })
    .refine((given) => Object.keys(given).length > 0, "name who may log in, such as emails: [anna@bank.example]")
    .describe("Who may use the page: whoever one of these lists names."),
  host: z
    .enum(["127.0.0.1", "localhost"])
    .default("127.0.0.1")
    .describe("The name of this machine that the provider sends people back to, as in http://127.0.0.1:8081/."),
  scope: z
    .string()
    .regex(/^[!#-[\]-~ ]*\bopenid\b[!#-[\]-~ ]*$/, "give words that include openid, such as openid email groups")
    .default("openid email")
    .describe("What the provider is asked to tell of a person."),
  minutes: z
    .number()
    .int()
    .min(1)
    .max(24 * 60)
    .default(60)
    .describe("After so many minutes somebody has to log in again."),
});

export type OidcSettings = z.infer<typeof oidcSchema>;

export function parseOidc(text: string, source: string): OidcSettings {
  return parseYaml(oidcSchema, text, source);
}
