import { randomBytes, timingSafeEqual } from "node:crypto";
import { MoietyError } from "../errors.js";
import type { PageExchange } from "./local-server.js";
import type { Login, LoginSession } from "./login.js";

/** Whoever was let in: a person where people log in, until the signal. */
export type Visitor = Partial<LoginSession>;

/** Who is let in to a page. */
export interface Door {
  /** What the page is told behind the # of its address. */
  readonly opening: Readonly<Record<string, string>>;
  /** Names of this machine under which the page is asked, the one that is printed first. */
  readonly names: readonly string[];
  /** By the header that the page sends; undefined for whoever is not let in. */
  visitor(token: string): Visitor | undefined;
  /** What those are told. */
  readonly refusal: { readonly message: string; readonly login: boolean };
  /** What can be asked from outside. */
  readonly routes: Readonly<Record<string, (exchange: PageExchange) => Promise<void>>>;
}

/** Whoever has the address that the command printed. */
export function tokenDoor(command: string): Door {
  const token = randomBytes(24).toString("base64url");
  return {
    opening: { token },
    names: ["127.0.0.1", "localhost"],
    visitor: (given) => (isToken(given, token) ? {} : undefined),
    refusal: {
      message: `the token is missing or wrong: open the address that ${command} printed last`,
      login: false,
    },
    routes: {},
  };
}

/** Characters of what a provider sends a tab back with. */
const mostAnswer = 2 ** 14;

/** Whoever a provider names, and the settings allow. */
export function loginDoor(login: Login): Door {
  return {
    opening: {},
    // Tabs keep what they know by the name of the machine: it is the one that the provider sends people back to.
    names: [login.host],
    visitor: (given) => login.session(given),
    refusal: { message: "nobody is logged in here: log in", login: true },
    routes: {
      "POST /login": async ({ url, respond }) => respond(await login.begin(new URL("/", url).href)),
      "POST /logged-in": async ({ body, respond }) => respond(await login.finish(answerIn(await body(mostAnswer)))),
      "POST /logout": async ({ token, respond }) => {
        login.end(token);
        respond({});
      },
    },
  };
}

function answerIn(body: Buffer): { readonly attempt: string; readonly answer: string } {
  try {
    const { attempt, answer } = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
    if (typeof attempt === "string" && typeof answer === "string") return { attempt, answer };
  } catch {
    // It is no JSON.
  }
  throw new MoietyError("usage", "this is not what a page says after a log-in");
}

function isToken(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
