import { createServer } from "node:tls";
import { Worker } from "node:worker_threads";
import { Authority } from "../../src/federation/identity/certificates.js";

/** What plain TLS carries on this machine: three senders at once, each on a thread of its own, into one receiver, in MB/s. */
export async function rawSockets(megabytes: number): Promise<number> {
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
