import { copyFileSync, statSync, writeFileSync } from "node:fs";
import { connect as connectHttp } from "node:http2";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CoordinatorService } from "../coordinator/service.js";
import { MemoryStore } from "../store/memory.js";
import { freePort } from "../testing/federation.js";
import { memoryAudit } from "../testing/in-memory.js";
import { provisioned, workplace } from "../testing/sites.js";
import { Conversation } from "../transport/conversation.js";
import { diallingOf, listeningOf } from "../transport/endpoints.js";
import { hello } from "../wire/greeting.js";
import { Authority } from "./certificates.js";
import { type Kit, loadKit } from "./kit.js";

const folder = workplace();
const logs: string[] = [];
let kits: (name: string) => Promise<Kit>;
let strangers: (name: string) => Promise<Kit>;
let port = 0;
let service: CoordinatorService;

beforeAll(async () => {
  port = await freePort();
  kits = await provisioned(join(folder, "kits"), ["a", "b"], { port });
  strangers = await provisioned(join(folder, "strangers"), ["a", "b"], { port });
  const kit = await kits("coordinator");
  service = new CoordinatorService({
    kit,
    listening: listeningOf(kit, { host: "127.0.0.1" }),
    store: new MemoryStore(),
    audit: await memoryAudit(await kits("coordinator")),
    clock: () => Date.now(),
    log: (line) => logs.push(line),
  });
  await service.start();
});

afterAll(() => service.stop());

/** Dials and greets; throws as the coordinator, or the transport, refuses. */
async function greet(kit: Kit, words = hello(kit)): Promise<Conversation> {
  const conversation = new Conversation(await diallingOf(kit).dial(), { answer: async () => ({}) });
  await conversation.ask("hello", words, { patience: 5000 });
  return conversation;
}

describe("a kit", () => {
  it("keeps its secrets to its owner", () => {
    for (const name of ["a", "alice", "coordinator"]) {
      for (const file of ["key.pem", "agreement.key", "signing.pem"]) {
        expect(statSync(join(folder, "kits", name, file)).mode & 0o777).toBe(0o600);
      }
    }
    expect(statSync(join(folder, "kits", "authority", "key.pem")).mode & 0o777).toBe(0o600);
  });

  it("with another's certificate or key is refused where it is opened", async () => {
    await provisioned(join(folder, "swapped"), ["a", "b"], { port });
    const file = (name: string, of: string) => join(folder, "swapped", of, name);
    copyFileSync(file("certificate.pem", "b"), file("certificate.pem", "a"));
    await expect(loadKit(join(folder, "swapped", "a"))).rejects.toThrow(/not that of party 'a'/);
    copyFileSync(file("key.pem", "a"), file("key.pem", "b"));
    await expect(loadKit(join(folder, "swapped", "b"))).rejects.toThrow(/key does not belong/);
    await expect(loadKit(join(folder, "swapped", "alice"), "party")).rejects.toThrow(
      /it is the kit of analyst 'alice'/,
    );
    await expect(loadKit(join(folder, "nowhere"))).rejects.toThrow(/there is no such file/);
  });

  it("that has expired is refused where it is opened", async () => {
    const old = new Date(Date.now() - 40 * 86_400_000);
    const expired = await provisioned(join(folder, "expired"), ["a", "b"], { port, now: old, days: 30 });
    await expect(expired("a")).rejects.toThrow(/expired on/);
  });
});

describe("the coordinator's port", () => {
  it("knows its members", async () => {
    const line = await greet(await kits("a"));
    expect(logs.join("\n")).toMatch(/a is here/);
    await expect(line.ask("submit", {})).rejects.toThrow(/a party may not ask 'submit'/);
    line.close();
  });

  it("refuses certificates of another authority", async () => {
    const stranger = await strangers("a");
    const own = await kits("a");
    // Even a stranger who knows the federation's own authority and pins.
    await expect(greet({ ...own, certificate: stranger.certificate, key: stranger.key })).rejects.toThrow(
      /cannot be reached, or refuses/,
    );
  });

  it("refuses expired certificates, also of members", async () => {
    const own = await kits("a");
    const authority = await Authority.create("federation", { from: new Date(Date.now() - 1e9), days: 300 });
    const { certificate, key } = await authority.certify(
      "federation",
      { role: "party", name: "a" },
      { from: new Date(Date.now() - 5 * 86_400_000), days: 1 },
    );
    await expect(greet({ ...own, certificate, key })).rejects.toThrow(/cannot be reached, or refuses/);
  });

  it("refuses who says to be another than the certificate shows", async () => {
    const [a, b] = await Promise.all([kits("a"), kits("b")]);
    await expect(greet({ ...a, certificate: b.certificate, key: b.key }, hello(a))).rejects.toThrow(
      /the certificate is that of party 'b'/,
    );
    await expect(greet(a, { ...hello(a), software: "0.9.1" })).rejects.toThrow(/moiety 0.9.1 there/);
    await expect(greet(a, { ...hello(a), federation: "other" })).rejects.toThrow(/another federation/);
  });

  it("refuses who was revoked, and sends away who is here", async () => {
    const b = await greet(await kits("b"));
    const list = join(folder, "kits", "coordinator", "revoked.txt");
    writeFileSync(list, "# gone\nb\n");
    await b.ended;
    await expect(greet(await kits("b"))).rejects.toThrow(/certificate of party 'b' was revoked|hung up/);
    writeFileSync(list, "");
    (await greet(await kits("b"))).close();
  });

  it("says nothing without TLS", async () => {
    const session = connectHttp(`http://127.0.0.1:${port}`);
    const outcome = await new Promise<string>((resolve) => {
      session.on("error", () => resolve("refused"));
      session.on("close", () => resolve("refused"));
      const request = session.request({ ":path": "/moiety.v1.Federation/Connect", ":method": "POST" });
      request.on("response", () => resolve("answered"));
      request.on("error", () => resolve("refused"));
    });
    session.destroy();
    expect(outcome).toBe("refused");
  });

  it("is the only one that a kit speaks to", async () => {
    const elsewhere = await freePort();
    const impostor = await strangers("coordinator");
    const listening = listeningOf(
      { ...impostor, authority: (await kits("a")).authority },
      { host: "127.0.0.1", port: elsewhere },
    );
    const listener = await listening.listen(() => undefined);
    const victim = await kits("a");
    const coordinator = { host: "127.0.0.1", port: elsewhere };
    await expect(greet({ ...victim, coordinator, authority: impostor.authority })).rejects.toThrow(
      /is not the coordinator of this kit|cannot be reached/,
    );
    await listener.close();
  });
});
