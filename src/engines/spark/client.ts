import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import { MoietyError } from "../../errors.js";
import { encodeMessage, type Message, ReceivedMessage } from "./protobuf.js";

/** Where a Spark Connect server is, as `sc://host:15002/;use_ssl=true;token=…` says it. */
export interface SparkAddress {
  readonly host: string;
  readonly secure: boolean;
  readonly token?: string;
  readonly user?: string;
  /** Everything else travels as headers, such as Databricks' x-databricks-cluster-id. */
  readonly headers: Readonly<Record<string, string>>;
}

const defaultPort = 15_002;

export function parseSparkAddress(url: string, shown: string): SparkAddress {
  const match = /^sc:\/\/([^/;?]+)\/?(;.*)?$/i.exec(url);
  if (match === null) {
    throw new MoietyError(
      "usage",
      `${shown} is no address of Spark Connect: write sc://host:15002/;use_ssl=true?table=name`,
    );
  }
  const options = new Map<string, string>();
  for (const part of (match[2] ?? "").split(";")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    if (at < 1) throw new MoietyError("usage", `${shown}: options are written ;name=value`);
    options.set(part.slice(0, at), decoded(part.slice(at + 1), shown));
  }
  const take = (name: string) => {
    const value = options.get(name);
    options.delete(name);
    return value;
  };
  const token = take("token") ?? process.env.SPARK_CONNECT_TOKEN;
  const useSsl = take("use_ssl");
  const user = take("user_id") ?? take("user_name");
  take("user_agent");
  return {
    host: /:\d+$/.test(match[1]) ? match[1] : `${match[1]}:${defaultPort}`,
    // A token never travels in the open.
    secure: token !== undefined || useSsl?.toLowerCase() === "true",
    ...(token === undefined ? {} : { token }),
    ...(user === undefined ? {} : { user }),
    headers: Object.fromEntries(options),
  };
}

function decoded(value: string, shown: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new MoietyError("usage", `${shown}: % begins an escape in an option: write %25 for it`);
  }
}

/** Answers come in messages of up to 4 MB of rows; a row may be longer. */
const mostMessageBytes = 128 << 20;
/** Milliseconds to wait for a server that does not answer: a busy one begins a session late. */
const connectTimeout = 60_000;

const service = "/spark.connect.SparkConnectService/";
const asTheyAre = (value: Buffer) => value;
const clientType = "moiety";
/** InterruptRequest.InterruptType: everything of this session. */
const interruptAll = 1;

/** One piece of what a statement answers with. */
export type SparkPart =
  | { readonly kind: "rows"; readonly rows: number; readonly arrow: Uint8Array }
  | { readonly kind: "progress"; readonly done: number; readonly of: number };

/** A session of a Spark Connect server: ExecutePlan, Config, AnalyzePlan and Interrupt of the public protocol. */
export class SparkSession {
  private readonly client: Client;
  private readonly metadata = new Metadata();
  private readonly session = randomUUID();
  private readonly user: Message;

  constructor(
    address: SparkAddress,
    readonly name: string,
  ) {
    const secured: ChannelCredentials = address.secure ? credentials.createSsl() : credentials.createInsecure();
    this.client = new Client(address.host, secured, {
      "grpc.max_receive_message_length": mostMessageBytes,
      "grpc.keepalive_time_ms": 30_000,
    });
    if (address.token !== undefined) this.metadata.set("authorization", `Bearer ${address.token}`);
    for (const [name, value] of Object.entries(address.headers)) this.metadata.set(name, value);
    this.user = { 1: address.user ?? userName() };
  }

  /** Throws where there is no server, or it refuses us. Returns its version. */
  async connect(): Promise<string> {
    const request = { 1: this.session, 2: this.user, 3: clientType, 10: {} };
    const answer = await this.ask("AnalyzePlan", request, { deadline: Date.now() + connectTimeout }, (error) =>
      this.unreached(error),
    );
    return answer.message(8).text(1);
  }

  async configure(settings: Readonly<Record<string, string>>): Promise<void> {
    const pairs = Object.entries(settings).map(([key, value]) => ({ 1: key, 2: value }));
    await this.ask("Config", { 1: this.session, 2: this.user, 3: { 1: { 1: pairs } }, 4: clientType });
  }

  /** The answer to a query. */
  query(sql: string): AsyncIterable<SparkPart> {
    return this.execute({ 1: { 10: { 1: sql } } });
  }

  /** A statement that is run for what it does. */
  command(sql: string): AsyncIterable<SparkPart> {
    return this.execute({ 2: { 5: { 1: sql } } });
  }

  async interrupt(): Promise<void> {
    await this.ask("Interrupt", { 1: this.session, 2: this.user, 3: clientType, 4: interruptAll });
  }

  async close(): Promise<void> {
    await this.ask("ReleaseSession", { 1: this.session, 2: this.user, 3: clientType }).catch(() => undefined);
    this.client.close();
  }

  private async *execute(plan: Message): AsyncIterable<SparkPart> {
    const request = encodeMessage({ 1: this.session, 2: this.user, 3: plan, 4: clientType });
    const stream = this.client.makeServerStreamRequest(
      `${service}ExecutePlan`,
      asTheyAre,
      asTheyAre,
      request,
      this.metadata,
    );
    const ended = new Promise<StatusObject>((resolve) => stream.on("status", resolve));
    let rows = 0;
    let chunks: Uint8Array[] = [];
    try {
      for await (const bytes of stream) {
        const response = new ReceivedMessage(bytes as Buffer);
        if (response.has(18)) yield progressOf(response.message(18));
        if (!response.has(2)) continue;
        const batch = response.message(2);
        // A long batch comes in chunks, each of which knows of how many.
        chunks.push(batch.bytes(2));
        if (chunks.length < batch.number(5)) continue;
        const arrow = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
        chunks = [];
        if (batch.number(3) !== rows) throw this.cut(rows);
        rows += batch.number(1);
        yield { kind: "rows", rows: batch.number(1), arrow };
      }
    } catch (cause) {
      throw cause instanceof MoietyError ? cause : this.failed(cause as ServiceError);
    } finally {
      // Does nothing where all has been read.
      stream.cancel();
    }
    // The server says at the very end whether this was all of it.
    if ((await ended).code !== status.OK || chunks.length > 0) throw this.cut(rows);
  }

  private async ask(
    method: string,
    request: Message,
    options: CallOptions = {},
    failed = (error: ServiceError | null) => this.failed(error),
  ): Promise<ReceivedMessage> {
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      this.client.makeUnaryRequest(
        service + method,
        asTheyAre,
        asTheyAre,
        encodeMessage(request),
        this.metadata,
        options,
        (error, answer) => (answer === undefined ? reject(failed(error)) : resolve(answer)),
      );
    });
    return new ReceivedMessage(bytes);
  }

  /** Why a first question has no answer. */
  private unreached(error: ServiceError | null): MoietyError {
    if (error?.code !== status.UNAVAILABLE && error?.code !== status.DEADLINE_EXCEEDED) return this.failed(error);
    if (/certificate|altnames/i.test(error.details)) {
      // Where it is set, gRPC trusts nobody else.
      const own = "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH";
      const place = process.env[own] ? own : "NODE_EXTRA_CA_CERTS";
      const advice = `name the file of its authority's certificate in ${place}`;
      return new MoietyError("failed", `the certificate of ${this.name} is not trusted here: ${advice}`);
    }
    return new MoietyError("failed", `${this.name} cannot be reached: is a Spark Connect server running there?`);
  }

  private cut(rows: number): MoietyError {
    return new MoietyError("failed", `the answer of ${this.name} ended after ${rows} rows, before its end`);
  }

  /** Spark's messages may quote cells: those about names and rights pass, of others only the class of the error. */
  private failed(error: ServiceError | null): MoietyError {
    const details = error?.details ?? "";
    const code = error?.code;
    if (code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED) {
      return new MoietyError("input", `${this.name} refuses this user or token: give it in SPARK_CONNECT_TOKEN`);
    }
    if (code === status.CANCELLED || /OPERATION_CANCELED|OPERATION_CANCELLED|interrupt/i.test(details)) {
      return new MoietyError("cancelled", "the query was cancelled");
    }
    if (code === status.UNAVAILABLE || /INVALID_HANDLE/.test(details)) {
      return new MoietyError("failed", `the connection to ${this.name} was lost`, { cause: lostSession });
    }
    const condition = /^(?:[\w.]+: )?\[([A-Z0-9_.]+)\]/.exec(details)?.[1];
    if (
      condition !== undefined &&
      /NOT_FOUND|UNRESOLVED|PARSE_|ALREADY_EXISTS|PERMISSION|PRIVILEGE|_NAME$/.test(condition)
    ) {
      // Names in backquotes would be taken for options of ours.
      const first = details.split("\n", 1)[0].trim().replaceAll("`", "'");
      return new MoietyError("input", `Spark refuses the query: ${first}`);
    }
    return new MoietyError(
      "failed",
      `Spark could not run the query${condition === undefined ? "" : ` (${condition})`}`,
    );
  }
}

const lostSession = new Error("lost");

/** Whether a session is gone with all that belonged to it. */
export function isLostSession(error: unknown): boolean {
  return error instanceof MoietyError && error.cause === lostSession;
}

function progressOf(progress: ReceivedMessage): SparkPart {
  const stages = progress.messages(1);
  const sum = (field: number) => stages.reduce((total, stage) => total + stage.number(field), 0);
  return { kind: "progress", done: sum(3), of: sum(2) };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "moiety";
  }
}
