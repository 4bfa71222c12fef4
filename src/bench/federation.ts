import { spawn } from "node:child_process";
import { join } from "node:path";
import { createServer } from "node:tls";
import { Worker } from "node:worker_threads";
import { MoietyError } from "../errors.js";
import { Authority } from "../federation/identity/certificates.js";
import { figure, seedsOf } from "./figure.js";
import { inTemporaryFolder } from "./temporary.js";
import type { Bench, Sheet } from "./types.js";

interface DemoResult {
  readonly n: number;
  readonly k: number;
  readonly passes: number;
  readonly communication: { readonly rounds: number; readonly bytesUp: number; readonly bytesDown: number };
  readonly seconds: { readonly read: number; readonly total: number };
}

/** A federation of separate processes as `moiety demo` runs it, and what raw TLS sockets carry on the same machine. */
export async function federation({ options, signal, say }: Bench): Promise<readonly Sheet[]> {
  const sizes = options.quick ? [500] : [1000, options.n ?? 4000];
  const lines = [];
  for (const n of sizes) {
    const runs: DemoResult[] = [];
    const raw: number[] = [];
    for (const seed of seedsOf(options.seeds)) {
      say(`three parties, ${n} people, seed ${seed}`);
      runs.push(await demo(n, seed, signal));
      raw.push(await rawSockets(options.quick ? 8 : 64));
    }
    const pick = (of: (run: DemoResult) => number) => runs.map(of);
    const carried = pick(({ communication, seconds }) => communication.bytesUp / 1e6 / (seconds.total - seconds.read));
    lines.push({
      at: { people: n, parties: 3, k: runs[0]!.k },
      figures: {
        "align and read": figure(
          pick(({ seconds }) => seconds.read),
          "s",
        ),
        run: figure(
          pick(({ seconds }) => seconds.total - seconds.read),
          "s",
        ),
        "passes on the wire": figure(
          pick(({ passes }) => passes),
          "",
          { goal: { atMost: 15 } },
        ),
        rounds: figure(
          pick(({ communication }) => communication.rounds),
          "",
        ),
        up: figure(
          pick(({ communication }) => communication.bytesUp),
          "B",
        ),
        down: figure(
          pick(({ communication }) => communication.bytesDown),
          "B",
        ),
        "MB a second": figure(carried, ""),
        "raw TLS, MB a second": figure(raw, ""),
        "of raw TLS": figure(
          carried.map((each, at) => each / raw[at]!),
          "x",
          { goal: { atLeast: 0.6 } },
        ),
      },
    });
  }
  const notes = [
    "Masks and blinding are on. Before the run the sites align their ids, and read their data: that is apart. Small sizes are bound by the number of rounds, larger ones (--n) by the tournaments of single moves.",
  ];
  return [{ title: "Three parties, a coordinator and an analyst as separate processes over TLS", lines, notes }];
}

function demo(n: number, seed: number, signal: AbortSignal): Promise<DemoResult> {
  return inTemporaryFolder(async (folder) => {
    const args = ["demo", "--n", `${n}`, "--seed", `${seed}`, "--folder", join(folder, "demo"), "--json"];
    const child = spawn(process.execPath, [process.argv[1]!, ...args], { signal, stdio: ["ignore", "pipe", "ignore"] });
    let out = "";
    child.stdout.on("data", (text) => {
      out += text;
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code !== 0) throw new MoietyError("failed", `moiety demo ended with ${code}: run it alone to see why`);
    return JSON.parse(out) as DemoResult;
  });
}

/** Three senders at once, each on a thread of its own, into one receiver: MB a second together. */
async function rawSockets(megabytes: number): Promise<number> {
  const validity = { from: new Date(Date.now() - 60_000), days: 1 };
  const authority = await Authority.create("bench", validity);
  const { certificate, key } = await authority.certify("bench", { role: "coordinator", name: "coordinator" }, validity);
  let received = 0;
  let began = 0;
  const server = createServer({ cert: certificate, key }, (socket) => {
    socket.on("data", (bytes: Buffer) => {
      began ||= performance.now();
      received += bytes.length;
    });
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const data = { port, ca: authority.certificate, megabytes };
  await Promise.all(
    Array.from({ length: 3 }, () => {
      const worker = new Worker(sender, { eval: true, workerData: data });
      return new Promise((resolve, reject) => worker.once("exit", resolve).once("error", reject));
    }),
  );
  while (received < 3 * megabytes * 1e6) await new Promise((resolve) => setTimeout(resolve, 5));
  const seconds = (performance.now() - began) / 1000;
  server.close();
  return received / 1e6 / seconds;
}

const sender = `
const { workerData: { port, ca, megabytes } } = require("node:worker_threads");
const socket = require("node:tls").connect({ port, host: "127.0.0.1", ca, servername: "coordinator" }, async () => {
  const piece = Buffer.alloc(1e6, 7);
  for (let i = 0; i < megabytes; i++) {
    if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve));
  }
  socket.end();
});`;
