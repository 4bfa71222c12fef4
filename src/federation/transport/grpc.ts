import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import {
  type ChannelOptions,
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { failed, type MoietyError } from "../../errors.js";
import type { Identity } from "../identity/kit.js";
import { decodeFrame, encodeFrame, type Frame, mostFrameBytes, partBytes } from "./frame.js";
import { Gate, type GateOptions } from "./gate.js";
import type { Dialling, Link, Listener, Listening } from "./types.js";

/** The certificate and key of one side, and the authority that signed the others'; all in PEM. */
interface Credentials {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Frames are decoded by the link and not inside the library: its errors would hide ours. */
const unchanged = (value: Buffer) => value;
const connect = "/moiety.v1.Federation/Connect";

/** Bytes that may be sent before the other side acknowledges them: with the protocol's 64 KB half the time is spent waiting. */
const window = mostFrameBytes;

const options: ChannelOptions = {
  "grpc.max_receive_message_length": mostFrameBytes,
  "grpc.max_send_message_length": mostFrameBytes,
  "grpc-node.flow_control_window": window,
  // Our own heartbeats tell who is alive; these keep firewalls from dropping the connection.
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 20_000,
};

/** A connection needs one stream; one that has ended may still be there when the next one begins. */
const mostStreams = 2;

/** Milliseconds after which a connection without a stream is closed. */
const idleTimeout = 10_000;

/** Milliseconds in which a closing side sends its last frames, and then a slow network may take them. */
const closingDelay = 300;
const closingTimeout = 5000;

export interface ServerSide extends Credentials, GateOptions {
  readonly host: string;
  readonly port: number;
}

/** The coordinator's port: TLS with certificates on both sides, and nothing without. */
export function grpcListening(side: ServerSide): Listening {
  return {
    async listen(accept) {
      const server = new Server({ ...options, "grpc.max_connection_idle_ms": idleTimeout });
      const sessions = new Map<string, ServerHttp2Session>();
      const handler = (call: ServerDuplexStream<Buffer, Buffer>) => {
        try {
          const shown = call.getAuthContext().sslPeerCertificate;
          if (!shown) throw failed("no certificate was shown");
          accept(new GrpcLink(side.recognise(shown.fingerprint256), call, () => hangUp(sessions.get(call.getPeer()))));
        } catch (error) {
          call.emit("error", { code: status.UNAUTHENTICATED, details: (error as Error).message });
        }
      };
      server.register(connect, handler, unchanged, unchanged, "bidi");
      const pair = { private_key: Buffer.from(side.key), cert_chain: Buffer.from(side.certificate) };
      const secured = ServerCredentials.createSsl(Buffer.from(side.authority), [pair], true);
      widenWindow(secured);
      let gates: Gate[] = [];
      const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync(`${side.host}:${side.port}`, secured, (error, bound) => {
          // biome-ignore lint/complexity/useLiteralKeys: the only way to a private member
          const listeners = [...server["http2Servers"].keys()] as Http2SecureServer[];
          for (const listener of listeners) {
            listener.on("session", (session) => {
              session.setLocalWindowSize(window);
              const peer = `${session.socket.remoteAddress}:${session.socket.remotePort}`;
              sessions.set(peer, session);
              session.once("close", () => sessions.delete(peer));
            });
          }
          gates = listeners.map((listener) => new Gate(listener, side));
          if (!error) return resolve(bound);
          const why = `cannot listen on ${side.host}:${side.port}: is another coordinator running?`;
          reject(failed(why, error));
        });
      });
      const close = async () => {
        for (const gate of gates) gate.close();
        server.forceShutdown();
      };
      return { port, close } satisfies Listener;
    },
  };
}

/** Closes the connection of a stream that has ended, also when the other side goes on sending. */
function hangUp(session: ServerHttp2Session | undefined): void {
  session?.close();
  setTimeout(() => session?.destroy(), closingTimeout).unref();
}

/** The library has an option for a client's window and none for a server's: of a stream, and of a whole connection. */
function widenWindow(secured: ServerCredentials): void {
  const settings = { initialWindowSize: window, maxFrameSize: partBytes, maxConcurrentStreams: mostStreams };
  Object.assign(secured._getConstructorOptions() ?? {}, { settings });
}

export interface ClientSide extends Credentials {
  readonly host: string;
  readonly port: number;
  readonly peer: Identity;
  /** SHA-256 of the coordinator's certificates, as they are now: no others are accepted, whoever signed them. */
  readonly pinned: () => readonly string[];
}

export function grpcDialling(side: ClientSide): Dialling {
  return {
    async dial() {
      let wrongPeer: MoietyError | undefined;
      const secured = credentials.createSsl(
        Buffer.from(side.authority),
        Buffer.from(side.key),
        Buffer.from(side.certificate),
        {
          checkServerIdentity: (_, certificate) => {
            if (side.pinned().includes(certificate.fingerprint256)) return undefined;
            wrongPeer = failed(`the server at ${side.host}:${side.port} is not the coordinator of this kit`);
            return wrongPeer;
          },
        },
      );
      const client = new Client(`${side.host}:${side.port}`, secured, {
        ...options,
        // The certificate is pinned, so the name under which the machine is reached does not matter.
        "grpc.ssl_target_name_override": "coordinator",
      });
      await new Promise<void>((resolve, reject) => {
        client.waitForReady(Date.now() + 5000, (error) => {
          if (!error) return resolve();
          client.close();
          const why = `the coordinator at ${side.host}:${side.port} cannot be reached, or refuses this certificate`;
          reject(wrongPeer ?? failed(why, error));
        });
      });
      const stream = client.makeBidiStreamRequest(connect, unchanged, unchanged);
      return new GrpcLink(side.peer, stream, () => client.close());
    },
  };
}

interface Stream {
  write(bytes: Buffer): boolean;
  end(): void;
  pause(): unknown;
  resume(): unknown;
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
  on(event: "error", listener: (error: ServiceError) => void): unknown;
  on(event: "end" | "close" | "cancelled" | "drain", listener: () => void): unknown;
  cancel?(): void;
}

/** Frames that may wait to be read before the other side has to stop sending. */
const mostQueued = 8;

/** Reads by events: the stream's own iterator would destroy it when a reader stops, with frames that are still to be sent. */
class GrpcLink implements Link {
  private readonly queue: Buffer[] = [];
  private wake: () => void = () => undefined;
  /** Resolves when there is room again; undefined while there is. */
  private drained: Promise<void> | undefined;
  private drain: () => void = () => undefined;
  private closed = false;
  private over = false;
  private broken: MoietyError | undefined;

  constructor(
    readonly peer: Identity,
    private readonly stream: Stream,
    private readonly hangUp: () => void = () => undefined,
  ) {
    const end = () => {
      this.over = true;
      this.wake();
      this.drain();
    };
    stream.on("data", (bytes) => {
      if (this.closed) return;
      this.queue.push(bytes);
      if (this.queue.length > mostQueued) stream.pause();
      this.wake();
    });
    stream.on("error", ({ code, details }) => {
      if (code !== status.CANCELLED) this.broken = failed(details || "the connection broke");
      end();
    });
    for (const event of ["end", "close", "cancelled"] as const) stream.on(event, end);
    stream.on("drain", () => this.drain());
  }

  async send(frame: Frame): Promise<void> {
    if (this.closed || this.over) throw failed("the link is closed");
    if (this.stream.write(encodeFrame(frame))) return;
    if (this.over) return;
    this.drained ??= new Promise<void>((resolve) => {
      this.drain = () => {
        this.drained = undefined;
        resolve();
      };
    });
    await this.drained;
  }

  async *frames(): AsyncIterable<Frame> {
    try {
      for (;;) {
        const bytes = this.queue.shift();
        if (bytes) {
          if (this.queue.length <= mostQueued / 2) this.stream.resume();
          yield decodeFrame(bytes);
        } else if (this.broken) throw this.broken;
        else if (this.over || this.closed) return;
        else {
          await new Promise<void>((resolve) => {
            this.wake = resolve;
          });
        }
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.queue.length = 0;
    this.stream.resume();
    this.stream.end();
    this.wake();
    // Frames that were sent before still have to leave.
    setTimeout(() => {
      this.stream.cancel?.();
      this.hangUp();
    }, closingDelay).unref();
  }
}
