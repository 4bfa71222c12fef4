import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { Server, TLSSocket } from "node:tls";
import type { Identity } from "../identity/kit.js";
import type { Log } from "../log.js";

/** Milliseconds in which a new connection has to show a certificate: a slow network takes a second or two. */
const handshakeTimeout = 10_000;
/**
 * Connections that have not shown a certificate yet, in all and from one address: a whole federation behind one address
 * may start at once, and nobody else needs as many. When there are more, those that have sent least are closed, so that
 * members with a certificate still get in.
 */
const mostUnknown = 512;
const mostFromOne = 128;
/** Milliseconds between two checks of these: enough for a member to begin its handshake. */
const checkEvery = 100;
/** Connections of one member: those in use, and as many again that are being opened or closed. */
const mostOfOne = 16;
/** Files that a process needs beside its connections: its state, its logs, its threads. */
const otherFiles = 64;
/** Files that a process may open, where the system does not say. */
const usualFiles = 1024;
/** Milliseconds after which the same refusal is logged again, with how often it has happened meanwhile. */
const refusalInterval = 60_000;
/** Different refusals that are logged separately in that time: more of them are logged as one. */
const mostRefusals = 200;

export interface GateOptions {
  /** The member that this certificate belongs to. Throws where there is none, or it was revoked. */
  readonly recognise: (fingerprint: string) => Identity;
  readonly log: Log;
}

interface Newcomer {
  readonly socket: Socket;
  readonly address: string;
  readonly since: number;
}

/** Who may connect, how many at a time, and for how long without saying who they are. */
export class Gate {
  private readonly unknown = new Map<string, Newcomer>();
  private readonly addresses = new WeakMap<Socket, string>();
  private readonly members = new Map<string, number>();
  private readonly refusals = new Map<string, { times: number }>();
  private readonly mostConnections = openFiles() - otherFiles;
  private readonly most = Math.min(mostUnknown, Math.floor(this.mostConnections / 2));
  private readonly sweep: NodeJS.Timeout;

  constructor(
    server: Server,
    private readonly options: GateOptions,
  ) {
    server.maxConnections = this.mostConnections;
    server.on("connection", (socket: Socket) => this.arrive(socket));
    server.on("secureConnection", (socket: TLSSocket) => this.enter(socket));
    server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => this.fail(error, socket));
    this.sweep = setInterval(() => this.dropExcess(), checkEvery);
    this.sweep.unref();
  }

  close(): void {
    clearInterval(this.sweep);
  }

  private arrive(socket: Socket): void {
    const newcomer = { socket, address: socket.remoteAddress ?? "somewhere", since: Date.now() };
    const key = keyOf(socket);
    this.unknown.set(key, newcomer);
    this.addresses.set(socket, newcomer.address);
    // Until there is a certificate nothing else handles errors of this socket.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      if (this.unknown.get(key) === newcomer) this.unknown.delete(key);
    });
  }

  private enter(socket: TLSSocket): void {
    const key = keyOf(socket);
    const address = this.unknown.get(key)?.address ?? "somewhere";
    this.unknown.delete(key);
    const member = this.holder(address, socket.getPeerCertificate().fingerprint256);
    const before = this.members.get(member) ?? 0;
    if (before >= mostOfOne) {
      this.refuse(address, `${member} has ${before} connections already`);
      socket.destroy();
      return;
    }
    this.members.set(member, before + 1);
    socket.once("close", () => {
      const left = this.members.get(member)! - 1;
      if (left > 0) this.members.set(member, left);
      else this.members.delete(member);
    });
  }

  /** Whose certificate this is. Strangers are let in here and refused by the server, which can send them the reason. */
  private holder(address: string, fingerprint: string): string {
    try {
      const { role, name } = this.options.recognise(fingerprint);
      return `${role} ${name}`;
    } catch (error) {
      this.refuse(address, (error as Error).message);
      return `the certificate ${fingerprint}`;
    }
  }

  private fail({ code }: NodeJS.ErrnoException, socket: TLSSocket): void {
    // By now the TLS socket may have no address any more; that of the socket below it was kept.
    const { authorizationError, _parent } = socket as { authorizationError?: unknown; _parent?: Socket };
    const address = (_parent && this.addresses.get(_parent)) ?? socket.remoteAddress ?? "somewhere";
    if (authorizationError) this.refuse(address, `its certificate is not this federation's (${authorizationError})`);
    else if (code === "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE") this.refuse(address, "it showed no certificate");
    socket.destroy();
  }

  private dropExcess(): void {
    const latest = Date.now() - handshakeTimeout;
    const from = new Map<string, Newcomer[]>();
    for (const each of this.unknown.values()) {
      if (each.since < latest) this.drop(each, "it showed no certificate in time");
      else from.set(each.address, [...(from.get(each.address) ?? []), each]);
    }
    const crowded = "too many connections without a certificate";
    for (const each of from.values())
      for (const one of leastOf(each, each.length - mostFromOne)) this.drop(one, crowded);
    for (const one of leastOf([...this.unknown.values()], this.unknown.size - this.most)) this.drop(one, crowded);
  }

  private drop({ socket, address }: Newcomer, why: string): void {
    this.refuse(address, why);
    this.unknown.delete(keyOf(socket));
    socket.destroy();
  }

  /** Logs a refusal; the same one again only after a while, so that repeated attempts do not fill the log. */
  private refuse(address: string, why: string): void {
    const place = `${address}: ${why}`;
    const key = this.refusals.has(place) || this.refusals.size < mostRefusals ? place : "others";
    const known = this.refusals.get(key);
    if (known) {
      known.times++;
      return;
    }
    const refusal = { times: 0 };
    this.refusals.set(key, refusal);
    this.options.log(`refused a connection from ${key}`, "warning");
    setTimeout(() => {
      this.refusals.delete(key);
      if (refusal.times > 0) this.options.log(`refused ${refusal.times} more from ${key}`, "warning");
    }, refusalInterval).unref();
  }
}

/** Those that have sent least, and of these the oldest: a handshake in progress has sent more. */
function leastOf(newcomers: Newcomer[], count: number): Newcomer[] {
  if (count <= 0) return [];
  return newcomers.sort((a, b) => a.socket.bytesRead - b.socket.bytesRead || a.since - b.since).slice(0, count);
}

/** A connection, whichever layer shows it. */
function keyOf({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}

/** How many files this process may have open. */
function openFiles(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return limit ? Number(limit[1]) : usualFiles;
  } catch {
    return usualFiles;
  }
}
