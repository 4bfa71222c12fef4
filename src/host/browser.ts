import { crew, lane } from "../../dist/embedded/browser-threads.js";
import { MoietyError } from "../errors.js";
import type { Host, Thread } from "./types.js";

/** What is used of a browser. The compiler's own types for browsers would allow all of their globals everywhere. */
interface Browser {
  readonly Worker: new (
    url: string,
  ) => {
    onmessage: ((event: { readonly data: unknown }) => void) | null;
    onerror: ((event: { readonly message?: string }) => void) | null;
    postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
    terminate(): void;
  };
  readonly navigator?: { readonly hardwareConcurrency?: number };
  readonly crossOriginIsolated?: boolean;
}

const browser = globalThis as unknown as Browser;
const codes: Partial<Record<string, string>> = { lane, crew };

class BrowserThread implements Thread {
  onMessage: Thread["onMessage"] = () => undefined;
  onFailure: Thread["onFailure"] = () => undefined;
  private readonly worker: InstanceType<Browser["Worker"]>;

  constructor(code: string, data: unknown) {
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.worker = new browser.Worker(url);
    this.worker.onmessage = ({ data: message }) => this.onMessage(message);
    this.worker.onerror = ({ message = "it could not be started" }) =>
      this.onFailure(new MoietyError("failed", `a thread failed: ${message}`));
    if (data !== undefined) this.worker.postMessage(data);
  }

  post(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  keepAlive(): void {}

  async stop(): Promise<void> {
    this.worker.terminate();
  }
}

/** Browsers hide their cryptography from pages that came over plain HTTP. */
function cryptography() {
  const { subtle } = crypto;
  if (subtle) return subtle;
  throw new MoietyError("usage", "this page may not use the browser's cryptography: serve it over HTTPS");
}

export const host: Host = {
  cores: browser.navigator?.hardwareConcurrency ?? 1,
  // Pages share memory only where they are isolated from other origins. Older browsers lack waiting without blocking.
  sharesMemory:
    typeof SharedArrayBuffer === "function" &&
    typeof browser.Worker === "function" &&
    browser.crossOriginIsolated !== false &&
    typeof Atomics.waitAsync === "function",
  kernels: undefined,
  startThread: (name, data) => new BrowserThread(codes[name] ?? "", data),
  startSolver: async () => {
    const [{ highs }, { solver }] = await Promise.all([
      import("../../dist/embedded/highs.js"),
      import("../../dist/embedded/browser-solver.js"),
    ]);
    return new BrowserThread(solver, highs);
  },
  fillRandom: (bytes) => void crypto.getRandomValues(bytes),
  sha256: async (bytes) => new Uint8Array(await cryptography().digest("SHA-256", bytes)),
  verifySignature: async (publicKey, message, signature) => {
    const key = await cryptography()
      .importKey("raw", publicKey, "Ed25519", false, ["verify"])
      .catch((cause) => {
        throw new MoietyError("usage", "this browser cannot check Ed25519 signatures: use a newer one", { cause });
      });
    return cryptography().verify("Ed25519", key, signature, message);
  },
};
