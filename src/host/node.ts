import { createHash, createPublicKey, randomFillSync, verify } from "node:crypto";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { column, crew, lane, layer, scaling } from "../../dist/embedded/threads.js";
import { MoietyError } from "../errors.js";
import type { Host, Thread } from "./types.js";

const codes = { lane, crew, layer, column, scaling };

class NodeThread implements Thread {
  onMessage: Thread["onMessage"] = () => undefined;
  onFailure: Thread["onFailure"] = () => undefined;
  private readonly worker: Worker;

  constructor(code: string, data: unknown) {
    // Flags that Node itself was started with are not passed on to the thread.
    this.worker = new Worker(code, { eval: true, execArgv: [] });
    this.worker.on("message", (message) => this.onMessage(message));
    this.worker.on("error", (error) => this.onFailure(error));
    this.worker.on("exit", () => this.onFailure(new MoietyError("failed", "a thread ended before it answered")));
    if (data !== undefined) this.worker.postMessage(data);
  }

  post(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  keepAlive(wanted: boolean): void {
    if (wanted) this.worker.ref();
    else this.worker.unref();
  }

  async stop(): Promise<void> {
    this.onFailure = () => undefined;
    await this.worker.terminate();
  }
}

export const host: Host = {
  cores: availableParallelism(),
  sharesMemory: true,
  get kernels() {
    return process.env.MOIETY_KERNELS;
  },
  startThread: (name, data) => new NodeThread(codes[name], data),
  startSolver: async () => {
    const [{ highs }, { solver }] = await Promise.all([
      import("../../dist/embedded/highs.js"),
      import("../../dist/embedded/solver.js"),
    ]);
    return new NodeThread(solver, highs);
  },
  fillRandom: (bytes) => void randomFillSync(bytes),
  sha256: async (bytes) => createHash("sha256").update(bytes).digest(),
  verifySignature: async (publicKey, message, signature) => {
    const x = Buffer.from(publicKey).toString("base64url");
    return verify(null, message, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature);
  },
};
