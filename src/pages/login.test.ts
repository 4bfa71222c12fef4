// Slow: a provider's log-ins take several requests each.
import { generateKeyPairSync } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { serveLive } from "./live-page.js";
import type { LocalServer } from "./local-server.js";
import { Login } from "./login.js";
import { type OidcSettings, parseOidc } from "./oidc-settings.js";
import { clientId, clientSecret, logInAs, startProvider, type TestProvider } from "./testing/provider.js";

let provider: TestProvider;
let server: LocalServer;
let lines: string[];
beforeAll(async () => {
  provider = await startProvider();
});
afterEach(async () => {
  provider.forge = undefined;
  await server?.close();
});
afterAll(() => provider.close());

interface Begun {
  readonly attempt: string;
  readonly address: string;
}
interface Answer {
  readonly token?: string;
  readonly person?: string;
  readonly failure?: { readonly message: string };
}

/** A page that says who asks, and what it is asked like a tab. */
async function serve(given: Partial<OidcSettings> = {}, secret: string | undefined = clientSecret) {
  const { issuer } = provider;
  const plain = parseOidc(`issuer: ${issuer}\nclientId: ${clientId}\nallow: { emails: [Anna@bank.example] }`, "oidc");
  lines = [];
  const login = await Login.load({ settings: { ...plain, ...given }, secret, log: (line) => lines.push(line) });
  server = await serveLive(
    { state: () => ({ secret: "state" }), answers: { who: (_: object, person) => person } },
    { page: "site.html", command: "moiety test", login },
  );
  const post = (path: string, body: object = {}, token = "") =>
    fetch(new URL(path, server.address), {
      method: "POST",
      headers: { "X-Moiety-Token": token },
      body: JSON.stringify(body),
    });
  const begin = async () => (await (await post("/login")).json()) as Begun;
  const finish = async (attempt: string, answer: string) =>
    (await (await post("/logged-in", { attempt, answer })).json()) as Answer;
  const logIn = async (name: string) => {
    const { attempt, address } = await begin();
    return finish(attempt, await logInAs(name, address));
  };
  return { post, begin, finish, logIn };
}

describe("log-in to a page", () => {
  it("lets in whom the settings allow, and tells the page who asks", async () => {
    const { post, logIn } = await serve();
    expect(server.address).not.toContain("token");
    for (const path of ["/events", "/ask"]) {
      const refused = await post(path, { ask: "who" });
      expect([refused.status, await refused.json()]).toMatchObject([401, { login: true }]);
    }
    const { token, person } = await logIn("anna");
    expect(person).toBe("anna@bank.example");
    expect(await (await post("/ask", { ask: "who" }, token)).json()).toEqual({ answer: "anna@bank.example" });
    expect(lines).toEqual(["anna@bank.example (subject anna) logged in to the page"]);
    expect((await post("/ask", { ask: "who" }, token?.toUpperCase())).status).toBe(401);
    await post("/logout", {}, token);
    expect((await post("/ask", { ask: "who" }, token)).status).toBe(401);
  });

  it("lets in by subject and by group, and nobody else: an address counts only if it is verified", async () => {
    const { logIn } = await serve({ scope: "openid email groups", allow: { subjects: ["sue"], groups: ["stewards"] } });
    for (const name of ["sue", "gus"]) expect((await logIn(name)).person).toBe(`${name}@bank.example`);
    expect((await logIn("anna")).failure?.message).toMatch(/^anna@bank.example \(subject anna\) may not use this page/);
    await server.close();
    const { logIn: byAddress } = await serve();
    for (const name of ["ben", "eve"]) {
      const { token, failure } = await byAddress(name);
      expect([token, failure?.message]).toEqual([undefined, expect.stringMatching(/may not use this page/)]);
    }
    expect(lines[1]).toMatch(/^nobody was let in to the page: eve \(subject eve\)/);
  });

  it("is over after its minutes, and with it what is being told", async () => {
    const { post, logIn } = await serve({ minutes: 0.02 });
    const { token } = await logIn("anna");
    const events = await post("/events", {}, token);
    // The connection is cut while the page reads it; on a slow machine it was never opened.
    if (events.status === 200) await expect(events.text()).rejects.toThrow();
    expect((await post("/ask", { ask: "who" }, token)).status).toBe(401);
  });

  it("is of one tab, once: another's answer, another state and a code that was used are refused", async () => {
    const { begin, finish } = await serve();
    const [one, other] = [await begin(), await begin()];
    const answer = await logInAs("anna", one.address);
    expect((await finish(other.attempt, answer)).failure?.message).toMatch(/does not hold \(.*state/);
    expect((await finish("", answer)).failure?.message).toMatch(/^this log-in was not begun in this tab/);
    expect((await finish(one.attempt, answer)).person).toBe("anna@bank.example");
    expect((await finish(one.attempt, answer)).failure?.message).toMatch(/^this log-in was not begun in this tab/);
    // The code again, with the state of a new attempt: the provider gives a code's tokens once, and to its verifier.
    const third = await begin();
    const replayed = new URLSearchParams(answer);
    replayed.set("state", new URL(third.address).searchParams.get("state")!);
    expect((await finish(third.attempt, `?${replayed}`)).failure?.message).toMatch(
      /refused the log-in \(invalid_grant\)/,
    );
  });

  it("believes no token for another nonce, audience or issuer, none that is over, and none that somebody else signed", async () => {
    const { logIn } = await serve();
    const hourAgo = Math.floor(Date.now() / 1000) - 3600;
    const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const forgeries: readonly [NonNullable<TestProvider["forge"]>, RegExp][] = [
      [{ change: (token) => ({ ...token, nonce: "another" }) }, /nonce/],
      [{ change: ({ nonce, ...token }) => token }, /nonce/],
      [{ change: (token) => ({ ...token, aud: "another" }) }, /aud/],
      [{ change: (token) => ({ ...token, iss: "https://another.example" }) }, /iss/],
      [{ change: (token) => ({ ...token, iat: hourAgo - 60, exp: hourAgo }) }, /exp/],
      [{ change: (token) => ({ ...token, sub: "gus" }) }, /sub/],
      [{ change: (token) => token, key }, /signature/],
    ];
    for (const [forge, why] of forgeries) {
      provider.forge = forge;
      const { token, failure } = await logIn("anna");
      expect([token, failure?.message]).toEqual([undefined, expect.stringMatching(/does not hold/)]);
      expect(failure?.message).toMatch(why);
    }
    // The forgery that forges nothing is believed: the others fail by what they say.
    provider.forge = { change: (token) => token };
    expect((await logIn("anna")).person).toBe("anna@bank.example");
  });

  it("says in a sentence that the provider is down, does not know the secret, or was told no", async () => {
    const gone = await startProvider();
    await gone.close();
    const { begin } = await serve({ issuer: gone.issuer });
    expect(await begin()).toEqual({
      failure: {
        code: "failed",
        message: `the provider ${gone.issuer} does not answer (ECONNREFUSED): try again later`,
      },
    });
    await server.close();
    const { logIn } = await serve({}, "another secret");
    expect((await logIn("anna")).failure?.message).toMatch(/does not know this page: check clientId/);
    await server.close();
    const { begin: again, finish } = await serve();
    const { attempt, address } = await again();
    const state = new URL(address).searchParams.get("state")!;
    const no = new URLSearchParams({ error: "access_denied", state, iss: provider.issuer });
    expect((await finish(attempt, `?${no}`)).failure?.message).toMatch(/refused the log-in \(access_denied\)/);
    for (const path of ["/login", "/logged-in", "/logout"]) {
      const headers = { Origin: "http://evil.example" };
      expect((await fetch(new URL(path, server.address), { method: "POST", headers })).status).toBe(403);
    }
  });
});

describe("oidc.yaml", () => {
  it.each([
    [
      "issuer: http://login.example\nclientId: a\nallow: { emails: [a@b.c] }",
      "at issuer, line 1: give the provider's address",
    ],
    ["issuer: https://login.example\nclientId: a", "at allow: it is missing: give names with values"],
    ["issuer: https://login.example\nclientId: a\nallow: {}", "at allow, line 3: name who may log in"],
    [
      "issuer: https://login.example\nclientId: a\nallow: { emails: [] }",
      "at allow.emails, line 3: give at least 1 entry",
    ],
    ["issuer: https://login.example\nclientId: a\nallow: { groups: [a] }\nsecret: b", "line 4: unknown 'secret'"],
    [
      "issuer: https://login.example\nclientId: a\nallow: { groups: [a] }\nscope: email",
      "at scope, line 4: give words that include",
    ],
    [
      "issuer: https://login.example\nclientId: a\nallow: { groups: [a] }\nminutes: 0",
      "at minutes, line 4: give a number of 1 or more",
    ],
  ])("%s", (text, says) => {
    expect(() => parseOidc(text, "oidc.yaml")).toThrow(says);
  });
});
