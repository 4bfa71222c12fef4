import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
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

  it("does nothing for another name of this machine, another page, or a token that is not its own", async () => {
    let asked = 0;
    await serve({
      state: () => ({}),
      answers: {
        count: () => {
          asked++;
        },
      },
    });
    const { port, host, hash } = new URL(server.address);
    const token = new URLSearchParams(hash.slice(1)).get("token")!;
    /** As an attacker would who can set any header, which no browser lets a page do. */
    const status = (
      headers: Readonly<Record<string, string>>,
      method = "POST",
      path = "/ask",
      body = '{"ask":"count"}',
    ) =>
      new Promise<number>((answered, failed) => {
        request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
          response.resume().on("end", () => answered(response.statusCode!));
        })
          .on("error", failed)
          .end(method === "POST" ? body : undefined);
      });
    const own = { Host: host, "X-Moiety-Token": token };
    expect(await status({ ...own, Origin: `http://${host}` })).toBe(200);
    expect(asked).toBe(1);
    for (const name of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${Number(port) + 1}`,
      `0.0.0.0:${port}`,
    ]) {
      expect([name, await status({ ...own, Host: name })]).toEqual([name, 403]);
    }
    const other = `http://127.0.0.1:${Number(port) + 1}`;
    for (const origin of [
      "null",
      "http://evil.example",
      other,
      `https://${host}`,
      `http://localhost:${port}`,
      `http://${host}.evil.example`,
    ]) {
      expect([origin, await status({ ...own, Origin: origin })]).toEqual([origin, 403]);
    }
    for (const wrong of ["", token.slice(1), `${token}x`, token.toUpperCase(), `${token},${token}`]) {
      expect(await status({ Host: host, "X-Moiety-Token": wrong })).toBe(401);
    }
    // Neither a cookie nor the address carries it, and what a form or an image can send does nothing.
    expect(await status({ Host: host, Cookie: `moiety-token=${token}` })).toBe(401);
    expect(await status({ Host: host }, "POST", `/ask?token=${token}`)).toBe(401);
    for (const method of ["PUT", "DELETE", "OPTIONS"]) expect(await status(own, method)).toBe(404);
    for (const path of ["/ask", "/events", "/..%2f..%2fpackage.json", "/../../package.json", "//etc/passwd"]) {
      expect([path, await status(own, "GET", path)]).toEqual([path, 404]);
    }
    for (const body of ["", "no JSON", "[]", "null", '{"ask":"__proto__"}', '{"ask":{}}']) {
      expect(await status(own, "POST", "/ask", body)).toBeLessThan(500);
    }
    expect(await status(own, "POST", "/ask", `{"ask":"count","of":"${"x".repeat(2 ** 22)}"}`)).toBe(400);
    expect(asked).toBe(1);
  });

  it("is not there for other machines", async () => {
    await serve({ state: () => ({}), answers: {} });
    const { port } = new URL(server.address);
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const outward = addresses.filter(({ internal, family }) => !internal && family === "IPv4");
    for (const { address } of outward) {
      const outcome = await new Promise((told) => {
        const socket = connect(Number(port), address, () => told("connected"));
        socket.on("error", (error: NodeJS.ErrnoException) => told(error.code));
      });
      expect(outcome).toBe("ECONNREFUSED");
    }
  });
});
