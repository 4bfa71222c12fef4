/** What a thread runs: kernels (lane, crew), the encryption of ids (layer), coordinates of columns (column), or of a table that comes over a pipe (scaling). */
export type ThreadName = "lane" | "crew" | "layer" | "column" | "scaling";

/** A thread, as seen by the one that started it. */
export interface Thread {
  onMessage: (message: unknown) => void;
  /** It failed, or it ended before it was stopped. */
  onFailure: (error: Error) => void;
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Whether the process waits for it before it ends; a page never does. */
  keepAlive(wanted: boolean): void;
  stop(): Promise<void>;
}

/** What the core needs of where it runs. All else is plain JavaScript and WebAssembly. */
export interface Host {
  /** Threads that can run at a time. */
  readonly cores: number;
  /** Whether threads can share memory. Where they cannot, kernels run on the calling thread, in memory that is not shared. */
  readonly sharesMemory: boolean;
  /** The build of the kernels that is asked for, if any: for tests and benchmarks. */
  readonly kernels: string | undefined;
  /** Starts a thread, which gets `data` as its first message. */
  startThread(name: ThreadName, data?: unknown): Thread;
  /** Starts a thread that solves linear programs by HiGHS, which is large: it is loaded when it is first asked for. */
  startSolver(): Promise<Thread>;
  /** Fills bytes by the operating system's generator. */
  fillRandom(bytes: Uint8Array): void;
  sha256(bytes: Uint8Array): Promise<Uint8Array>;
  /** Whether this is the Ed25519 signature of the message by the holder of a public key of 32 bytes. */
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}
