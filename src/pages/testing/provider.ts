import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { Provider } from "oidc-provider";

type Payload = Readonly<Record<string, unknown>>;

export interface TestProvider {
  readonly issuer: string;
  /** Changes what the next identity tokens say, and signs them with the provider's key or with another one. */
  forge: { readonly change: (payload: Payload) => Payload; readonly key?: KeyObject } | undefined;
  close(): Promise<void>;
}

export const clientId = "moiety-bank-a";
export const clientSecret = "a secret of the provider's";

/** Everybody may log in by their name; the provider has not verified that anna's address is eve's, too. */
const claimsOf = (name: string) => ({
  sub: name,
  email: `${name === "eve" ? "anna" : name}@bank.example`,
  email_verified: name !== "eve",
  groups: name === "gus" ? ["stewards"] : [],
});

/** A provider of OpenID Connect on this machine, certified but for what `forge` makes of it. */
export async function startProvider(): Promise<TestProvider> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const header = { alg: "RS256", kid: "test" };
  let answer: RequestListener;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        application_type: "native",
        // Of programs on people's machines any port is right.
        redirect_uris: ["http://127.0.0.1/"],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), ...header, use: "sig" }] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["for tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    scopes: ["openid", "email", "groups"],
    findAccount: (_: unknown, name: string) => ({ accountId: name, claims: () => claimsOf(name) }),
  });
  const started: TestProvider = {
    issuer,
    forge: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
  provider.use(async (context, next) => {
    await next();
    const { forge } = started;
    const token = context.oidc?.route === "token" ? context.body?.id_token : undefined;
    if (!forge || token === undefined) return;
    const payload = forge.change(JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString()) as Payload);
    const said = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature = sign("sha256", Buffer.from(said), forge.key ?? privateKey).toString("base64url");
    context.body = { ...context.body, id_token: `${said}.${signature}` };
  });
  answer = provider.callback();
  return started;
}

/** Logs in as a browser would, and returns what stands in the address that the provider sends it back to. */
export async function logInAs(name: string, address: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  const { origin } = next;
  let form: URLSearchParams | undefined;
  while (next.origin === origin) {
    const cookie = Array.from(cookies, ([key, value]) => `${key}=${value}`).join("; ");
    const method = form ? "POST" : "GET";
    const response = await fetch(next, {
      method,
      headers: { cookie },
      redirect: "manual",
      ...(form ? { body: form } : {}),
    });
    for (const each of response.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value) cookies.set(key, value);
      else cookies.delete(key);
    }
    const onward = response.headers.get("location");
    form = undefined;
    if (onward !== null) next = new URL(onward, next);
    else {
      const prompt = /name="prompt" value="(\w+)"/.exec(await response.text())?.[1];
      if (prompt === undefined) throw new Error(`the provider shows no form (${response.status})`);
      form = new URLSearchParams({ prompt, login: name, password: "any" });
    }
  }
  return next.search;
}
