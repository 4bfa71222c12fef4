import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect as connectHttp } from "node:http2";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnalystClient } from "./analyst/client.js";
import { type Kit, loadKit } from "./identity/kit.js";
import { LocalFederation } from "./testing/federation.js";
import { provisioned } from "./testing/sites.js";
import { diallingOf } from "./transport/endpoints.js";
import { frame } from "./transport/frame.js";
import type { Link } from "./transport/types.js";

/** Far below what the crowds below would take. */
const files = 256;
const federation = new LocalFederation();
const crowd: { destroy(): unknown }[] = [];
let port = 0;
let pid = 0;
let alice: Kit;

const kit = (name: string) => loadKit(join(federation.work.folder, "kits", name));

beforeAll(async () => {
  await federation.work.run("generate", "people", "--n", "60", "--seed", "5", "-o", "all.csv");
  await federation.prepare(federation.work.read("all.csv"));
  for (const party of ["bank-a", "bank-b", "hospital"]) {
    federation.work.write(
      `${party}.yaml`,
      `${federation.work.read(`${party}.yaml`)}minimum: { rows: 10, clusterSize: 1 }\n`,
    );
  }
  federation.startLimited("coordinator", files);
  await federation.until("coordinator", /listening on port/);
  alice = await kit("alice");
  port = alice.coordinator.port;
  pid = federation.pid("coordinator");
  for (const party of ["bank-a", "bank-b", "hospital"]) federation.start(party);
  await federation.until("coordinator", /is here.*is here.*is here/s);
});
afterAll(() => disperse());

function disperse(): void {
  for (const each of crowd.splice(0)) each.destroy();
}

/** The coordinator's open files. */
function openFiles(): number {
  return Number(execFileSync("sh", ["-c", `ls /proc/${pid}/fd | wc -l`]).toString());
}

function memory(): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}

async function comeIn(): Promise<void> {
  const client = await AnalystClient.connect(alice, diallingOf(alice));
  await client.list();
  client.close();
}

/** Sockets that come again whenever they are sent away. */
function persist(count: number, open: () => Socket | TLSSocket): () => void {
  let going = true;
  const come = () => {
    const socket = open();
    crowd.push(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => going && setTimeout(come, 1000));
  };
  for (let at = 0; at < count; at++) come();
  return () => {
    going = false;
    disperse();
  };
}

const job = `algorithm: lloyd
k: 2
id: person
parties:
  bank-a: { features: [age, income] }
  bank-b: { features: [balance, debts] }
  hospital: { features: [visits, hours] }
`;

/** The first bytes of a handshake that never goes on. */
const half = Buffer.from("16030100ff010000fb0303", "hex");
const crowds: readonly (readonly [string, number, () => Socket | TLSSocket])[] = [
  ["sockets that say nothing", 400, () => connect(port, "127.0.0.1")],
  [
    "handshakes that stall",
    400,
    () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("connect", () => socket.write(half));
      return socket;
    },
  ],
  [
    "TLS without a certificate",
    40,
    () => connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] }),
  ],
];

describe.each(crowds)("a crowd of %s", (_, count, open) => {
  it("from the address of members shut no member out and leave files to spare, and a job is done meanwhile", async () => {
    const stop = persist(count, open);
    try {
      for (let round = 0; round < 5; round++) {
        await comeIn();
        expect(openFiles()).toBeLessThan(files - 20);
      }
      const id = await federation.submit(job);
      const { code, stderr } = await federation.job("watch", id);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/done\n$/)]);
    } finally {
      stop();
    }
  });
});

describe("the coordinator's log", () => {
  it("names certificates that were refused, and does not grow with those who come again", async () => {
    const strangers = await provisioned(join(federation.work.folder, "strangers"), ["x", "y"], { port });
    const { certificate, key } = await strangers("x");
    for (let at = 0; at < 5; at++) {
      const session = connectHttp(`https://127.0.0.1:${port}`, {
        ...{ cert: certificate, key, rejectUnauthorized: false },
      });
      session.on("error", () => undefined);
      await new Promise((resolve) => session.once("close", resolve));
    }
    await federation.until(
      "coordinator",
      /refused a connection from 127\.0\.0\.1: its certificate is not this federation's \(\w+\)/,
    );
    expect(federation.log("coordinator").match(/not this federation's/g)).toHaveLength(1);
    expect(federation.log("coordinator")).toMatch(/refused a connection from 127\.0\.0\.1: it showed no certificate/);
    federation.work.write("kits/coordinator/revoked.txt", "bob\n");
    await expect(federation.work.run("job", "list", "--kit", "kits/bob")).resolves.toMatchObject({ code: 1 });
    await federation.until(
      "coordinator",
      /refused a connection from 127\.0\.0\.1: the certificate of analyst 'bob' was revoked/,
    );
    federation.work.write("kits/coordinator/revoked.txt", "");
  });
});

describe("one analyst", () => {
  it("has so many lines and no more, is told so, and shuts nobody else out", async () => {
    const clients: AnalystClient[] = [];
    const refusals: string[] = [];
    for (let at = 0; at < 12; at++) {
      await AnalystClient.connect(alice, diallingOf(alice)).then(
        (client) => clients.push(client),
        (error: Error) => refusals.push(error.message),
      );
    }
    expect(clients).toHaveLength(8);
    expect(new Set(refusals)).toEqual(new Set(["it has 8 connections open already: close one of them"]));
    const bob = await kit("bob");
    (await AnalystClient.connect(bob, diallingOf(bob))).close();
    for (const client of clients) client.close();
  });

  it("with many connections makes the coordinator hold little, whatever it sends", async () => {
    const before = memory();
    const links: Link[] = [];
    const body = new Uint8Array(1 << 19);
    let refused = 0;
    const flood = async () => {
      const link = await diallingOf(alice).dial();
      links.push(link);
      // Questions that never end, each from another side.
      for (let call = 1; call < 200; call++) await link.send(frame("askPart", { call, body }));
    };
    for (let at = 0; at < 16; at++) flood().catch(() => refused++);
    await expect.poll(() => refused, { timeout: 900_000 }).toBeGreaterThanOrEqual(8);
    expect(memory() - before).toBeLessThan(400);
    for (const link of links) link.close();
    const back = () =>
      comeIn().then(
        () => true,
        () => false,
      );
    await expect.poll(back, { timeout: 900_000, interval: 500 }).toBe(true);
  });

  it("has few connections without a line, and they are closed", async () => {
    const { certificate, key, authority } = alice;
    const open = new Set<object>();
    let came = 0;
    for (let at = 0; at < 40; at++) {
      const session = connectHttp(`https://127.0.0.1:${port}`, {
        ...{ cert: certificate, key, ca: authority, servername: "coordinator" },
      });
      crowd.push(session);
      session.on("error", () => undefined);
      session.on("remoteSettings", () => {
        came++;
        open.add(session);
      });
      session.on("close", () => open.delete(session));
    }
    await expect.poll(() => came, { timeout: 900_000 }).toBeGreaterThan(0);
    await expect.poll(() => open.size, { timeout: 900_000, interval: 500 }).toBe(0);
    expect(openFiles()).toBeLessThan(files / 2);
    await comeIn();
  });
});
