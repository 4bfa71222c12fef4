import { once } from "node:events";
import { connect, type Settings } from "node:http2";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MoietyError } from "../../errors.js";
import { provisioned, workplace } from "../testing/sites.js";
import { Conversation } from "./conversation.js";
import { diallingOf, listeningOf } from "./endpoints.js";
import { type Frame, frame, mostFrameBytes, partBytes } from "./frame.js";
import { MemoryNetwork } from "./memory.js";
import type { Dialling, Link, Listening } from "./types.js";

const folder = workplace();
let used = 0;

interface Network {
  readonly listening: Listening;
  dialling(name: string): Promise<Dialling>;
}

const networks: readonly (readonly [string, () => Promise<Network>])[] = [
  [
    "in memory",
    async () => {
      const network = new MemoryNetwork();
      return { listening: network, dialling: async (name) => network.dialling({ role: "party", name }) };
    },
  ],
  [
    "by gRPC over TLS",
    async () => {
      const port = 20_000 + ((process.pid * 7 + used * 131) % 20_000);
      const kits = await provisioned(join(folder, `kits-${used++}`), ["a", "b", "c"], { port });
      const listening = listeningOf(await kits("coordinator"), { host: "127.0.0.1" });
      return { listening, dialling: async (name) => diallingOf(await kits(name)) };
    },
  ],
];

/** A coordinator's and a party's end of one link, and a way to end it all. */
async function linked(make: () => Promise<Network>) {
  const network = await make();
  const arrivals: ((link: Link) => void)[] = [];
  const listener = await network.listening.listen((link) => arrivals.shift()?.(link));
  const connect = async (name: string): Promise<{ here: Link; there: Link }> => {
    const arrived = new Promise<Link>((resolve) => arrivals.push(resolve));
    const there = await (await network.dialling(name)).dial();
    return { here: await arrived, there };
  };
  return { connect, close: () => listener.close() };
}

async function first(link: Link, count: number): Promise<Frame[]> {
  const seen: Frame[] = [];
  for await (const each of link.frames()) if (seen.push(each) === count) break;
  return seen;
}

describe.each(networks)("a transport %s", (_, make) => {
  it("knows who is there, and brings frames in order, whole, both ways", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("b");
    expect(here.peer).toEqual({ role: "party", name: "b" });
    expect(there.peer.role).toBe("coordinator");
    const body = Uint8Array.from({ length: partBytes }, (_, i) => i * 7);
    const sent = Array.from({ length: 5 }, (_, i) =>
      frame("ask", { call: i + 1, method: "m", meta: Buffer.from("{}"), body: body.subarray(i) }),
    );
    for (const [from, to] of [
      [here, there],
      [there, here],
    ]) {
      const arrived = first(to, sent.length);
      for (const each of sent) await from.send(each);
      const seen = await arrived;
      expect(seen.map(({ call }) => call)).toEqual([1, 2, 3, 4, 5]);
      seen.forEach((each, i) => {
        expect(Buffer.compare(each.body, sent[i].body)).toBe(0);
      });
      break;
    }
    await close();
  });

  it("answers questions of both sides at once, long ones in parts", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const long = Uint8Array.from({ length: 3 * partBytes + 5 }, (_, i) => i * 3);
    const coordinator = new Conversation(here, {
      answer: async ({ method, meta }) => ({ meta: { method, meta }, body: long }),
    });
    const party = new Conversation(there, {
      answer: async ({ body }) => ({
        meta: body.length,
        body: (async function* () {
          for (let i = 0; i < 4; i++) yield long.subarray(i);
        })(),
      }),
      mostAsked: () => 10 * partBytes,
    });
    const parts: number[] = [];
    const [up, down, small] = await Promise.all([
      coordinator.ask("up", {}, { body: long, most: 20 * partBytes, onPart: (bytes) => parts.push(bytes.length) }),
      party.ask("down", { x: [1] }, { most: 4 * partBytes }),
      party.ask("small", null, { most: 4 * partBytes }),
    ]);
    expect(up.meta).toBe(long.length);
    expect(parts.reduce((sum, bytes) => sum + bytes, 0)).toBe(4 * long.length - 6);
    expect(Buffer.compare(down.body, long)).toBe(0);
    expect(down.meta).toEqual({ method: "down", meta: { x: [1] } });
    expect(small.meta).toEqual({ method: "small", meta: null });
    coordinator.close();
    expect(await party.ended).toBeUndefined();
    await expect(party.ask("more", {})).rejects.toThrow(/hung up/);
    await close();
  });

  it("ends open questions when the other side goes", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const coordinator = new Conversation(here, { answer: async () => ({}) });
    const asked = coordinator.ask("never", {});
    there.close();
    await expect(asked).rejects.toThrow(/hung up|line/);
    await coordinator.ended;
    await close();
  });

  it("bears silence for a while only", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const quiet = new Conversation(here, { answer: async () => ({}), beat: 20, silence: 120 });
    // Reads, but says nothing.
    (async () => {
      for await (const _ of there.frames());
    })().catch(() => undefined);
    const reason = await quiet.ended;
    expect(reason?.message).toMatch(/a has been silent/);
    await close();
  });

  it("does not call the other side silent where it was too busy to listen", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const options = { answer: async () => ({ meta: "here" }), beat: 20, silence: 120 };
    const [busy, other] = [new Conversation(here, options), new Conversation(there, { ...options, silence: 60_000 })];
    await busy.ask("first", {});
    for (const end = Date.now() + 400; Date.now() < end; );
    expect((await busy.ask("second", {})).meta).toBe("here");
    busy.close();
    await other.ended;
    await close();
  });

  it("does not wait for an answer for ever", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const coordinator = new Conversation(here, { answer: async () => ({}) });
    const party = new Conversation(there, { answer: () => new Promise(() => undefined) });
    await expect(coordinator.ask("slow", {}, { patience: 50 })).rejects.toThrow(/did not answer in time/);
    coordinator.close();
    await party.ended;
    await close();
  });

  it("hangs up on answers and questions that are longer than agreed", async () => {
    for (const upwards of [true, false]) {
      const { connect, close } = await linked(make);
      const { here, there } = await connect("a");
      const coordinator = new Conversation(here, { answer: async () => ({}), mostAsked: () => 1000 });
      const party = new Conversation(there, { answer: async () => ({ body: new Uint8Array(3 * partBytes) }) });
      if (upwards) await expect(coordinator.ask("q", {}, { most: 100 })).rejects.toThrow(/more than was asked/);
      else await expect(party.ask("q", {}, { body: new Uint8Array(1001) })).rejects.toThrow();
      expect((await coordinator.ended)?.message).toMatch(/more than/);
      await party.ended;
      await close();
    }
  });

  it("asks no more at once than the other side takes, however much there is to ask, and in order", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const coordinator = new Conversation(here, { answer: async () => ({}) });
    let open = 0;
    let most = 0;
    const asked: unknown[] = [];
    const answer = async ({ meta }: { meta: unknown }) => {
      asked.push(meta);
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      if (meta === 500) throw new MoietyError("input", "not this one");
      return { meta };
    };
    const party = new Conversation(there, { answer });
    const numbers = Array.from({ length: 1000 }, (_, i) => i);
    const answers = await Promise.allSettled(numbers.map((i) => coordinator.ask("q", i, { patience: 60_000 })));
    expect(answers.map((each) => (each.status === "fulfilled" ? each.value.meta : "failed"))).toEqual(
      numbers.with(500, "failed" as unknown as number),
    );
    expect(asked).toEqual(numbers);
    expect(most).toBeLessThanOrEqual(64);
    coordinator.close();
    expect(await party.ended).toBeUndefined();
    await close();
  });

  it("hangs up on whoever answers nothing, and does not ask it more meanwhile than it takes", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const coordinator = new Conversation(here, { answer: async () => ({}) });
    const party = new Conversation(there, { answer: () => new Promise(() => undefined) });
    const answers = Array.from({ length: 100 }, () => coordinator.ask("q", {}, { patience: 50 }));
    const reasons = await Promise.allSettled(answers);
    for (const each of reasons) expect(each.status).toBe("rejected");
    expect((await coordinator.ended)?.message).toMatch(/a leaves too many questions unanswered/);
    expect((await party.ended)?.message ?? "").not.toMatch(/more than this side takes/);
    await close();
  });

  it("holds a few long questions at a time for the other side, whole or in parts, and hangs up on more", async () => {
    for (const finished of [true, false]) {
      const { connect, close } = await linked(make);
      const { here, there } = await connect("a");
      const coordinator = new Conversation(here, {
        answer: () => new Promise(() => undefined),
        mostAsked: () => 100_000,
      });
      const body = new Uint8Array(90_000);
      (async () => {
        for (let call = 1; ; call++) await there.send(frame(finished ? "ask" : "askPart", { call, method: "m", body }));
      })().catch(() => undefined);
      expect((await coordinator.ended)?.message).toMatch(/more than this side takes/);
      await close();
    }
  });

  it("hangs up on whoever sends signs of life and reads nothing", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const options = { beat: 20, silence: 60_000, stall: 200 };
    const coordinator = new Conversation(here, {
      answer: async () => ({ body: new Uint8Array(64 * partBytes) }),
      ...options,
    });
    await there.send(frame("ask", { call: 1, method: "m" }));
    const beating = setInterval(() => there.send(frame("beat")).catch(() => undefined), 20);
    expect((await coordinator.ended)?.message).toMatch(/a does not read what it is sent/);
    clearInterval(beating);
    await close();
  });

  it("tells nobody where files lie, and that what a full disk has stopped can go on", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const coordinator = new Conversation(here, { answer: async () => ({}) });
    const full = new MoietyError("output", "cannot write /home/x/state/record: disk full", { told: "disk full" });
    const other = new MoietyError("input", "cannot read '/home/x/my/accounts.csv': no permission");
    const windows = new MoietyError("input", "cannot read C:\\Users\\x\\accounts.csv: no permission, ask 1/8 of N/A");
    const errors = [full, other, windows];
    const untold: unknown[] = [];
    const party = new Conversation(there, {
      answer: async ({ meta }) => {
        throw errors[meta as number];
      },
    });
    party.onHidden = (error) => untold.push(error);
    await expect(coordinator.ask("q", 0)).rejects.toMatchObject({ code: "paused", message: "a: disk full" });
    await expect(coordinator.ask("q", 1)).rejects.toThrow(/^a: cannot read '\(a file there\)': no permission$/);
    await expect(coordinator.ask("q", 2)).rejects.toThrow(
      /^a: cannot read \(a file there\): no permission, ask 1\/8 of N\/A$/,
    );
    expect(untold).toEqual(errors);
    coordinator.close();
    await close();
  });

  it("keeps what unexpected errors say on its own side", async () => {
    const { connect, close } = await linked(make);
    const { here, there } = await connect("a");
    const coordinator = new Conversation(here, { answer: async () => ({}) });
    const party = new Conversation(there, {
      answer: async () => {
        throw new Error("person 4711 has a balance of 12");
      },
    });
    const seen: unknown[] = [];
    party.onHidden = (error) => seen.push(error);
    await expect(coordinator.ask("q", {})).rejects.toThrow(/^a: something unexpected went wrong there/);
    expect(seen.length).toBe(1);
    coordinator.close();
    await close();
  });
});

describe("the port of a coordinator", () => {
  it("lets a whole frame be under way, on a line and on all its streams", async () => {
    const port = 20_000 + ((process.pid * 7 + used * 131) % 20_000);
    const kits = await provisioned(join(folder, `kits-${used++}`), ["a", "b"], { port });
    const listener = await listeningOf(await kits("coordinator"), { host: "127.0.0.1" }).listen(() => undefined);
    const { authority, certificate, key } = await kits("a");
    const session = connect(`https://127.0.0.1:${listener.port}`, {
      ...{ ca: authority, cert: certificate, key },
      servername: "coordinator",
    });
    const [{ initialWindowSize }] = (await once(session, "remoteSettings")) as [Settings];
    expect(initialWindowSize).toBe(mostFrameBytes);
    await expect.poll(() => session.state.remoteWindowSize).toBeGreaterThanOrEqual(mostFrameBytes);
    session.destroy();
    await listener.close();
  });
});
