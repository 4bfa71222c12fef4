import { afterEach, describe, expect, it } from "vitest";
import { MoietyError } from "../errors.js";
import { serveLive } from "./live-page.js";
import type { LocalServer } from "./local-server.js";

let server: LocalServer;
afterEach(() => server.close());

async function serve(page: Parameters<typeof serveLive>[0]) {
  server = await serveLive(page, { page: "coordinator.html", command: "moiety test" });
  const { origin, hash } = new URL(server.address);
  const headers = { "X-Moiety-Token": new URLSearchParams(hash.slice(1)).get("token")! };
  return (path: string, body: object = {}, given: Record<string, string> = headers) =>
    fetch(`${origin}${path}`, { method: "POST", headers: given, body: JSON.stringify(body) });
}

/** Events of one tab, one after the other. */
async function* eventsOf(response: Response): AsyncGenerator<unknown> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split("\n\n");
    text = events.pop()!;
    for (const event of events) if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
  }
}

describe("a live page", () => {
  it("is sent its state now and whenever it has changed, in every tab", async () => {
    let count = 1;
    const post = await serve({ state: () => ({ count }), answers: {} });
    const tabs = [eventsOf(await post("/events")), eventsOf(await post("/events"))];
    for (const tab of tabs) expect((await tab.next()).value).toEqual({ state: { count: 1 } });
    count = 2;
    for (const tab of tabs) expect((await tab.next()).value).toEqual({ state: { count: 2 } });
    await tabs[0].return(undefined);
    count = 3;
    expect((await tabs[1].next()).value).toEqual({ state: { count: 3 } });
  });

  it("is told why there is no state, and nothing of errors that nobody expected", async () => {
    const failing = () => {
      throw new MoietyError("failed", "the coordinator does not answer");
    };
    const post = await serve({
      state: failing,
      answers: {
        double: ({ of }: { of: number }) => 2 * of,
        failing,
        broken: () => {
          throw new TypeError("secret");
        },
      },
    });
    const events = eventsOf(await post("/events"));
    expect((await events.next()).value).toMatchObject({ failure: { message: "the coordinator does not answer" } });
    expect(await (await post("/ask", { ask: "double", of: 4 })).json()).toEqual({ answer: 8 });
    expect(await (await post("/ask", { ask: "failing" })).json()).toMatchObject({ failure: { code: "failed" } });
    for (const ask of ["broken", "toString", "unknown"]) {
      const text = await (await post("/ask", { ask })).text();
      expect(text).toContain("failure");
      expect(text).not.toContain("secret");
    }
  });

  it("answers nobody without its token, and sends a policy that lets nothing else in", async () => {
    const post = await serve({ state: () => ({}), answers: {} });
    for (const path of ["/events", "/ask"]) expect((await post(path, {}, {})).status).toBe(401);
    const page = await fetch(new URL("/", server.address));
    const policy = page.headers.get("Content-Security-Policy");
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' /);
    expect(policy).not.toMatch(/script-src[^;]*'unsafe-/);
    expect(page.headers.get("Set-Cookie")).toBeNull();
    expect(page.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });
});
