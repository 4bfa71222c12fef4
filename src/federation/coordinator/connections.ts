import { failed, lineOf, type MoietyError } from "../../errors.js";
import { type Identity, type Kit, recognise } from "../identity/kit.js";
import type { Log } from "../log.js";
import { Conversation, type IncomingQuestion, type Reply } from "../transport/conversation.js";
import { readMembers, revokedList } from "../transport/endpoints.js";
import type { Link } from "../transport/types.js";
import { checkGreeting, type Greeted } from "../wire/greeting.js";

/** Connections of one member at a time: of an analyst who follows several jobs, or a party whose last one is not known to be dead. */
const mostConnections = 8;
/** Bytes of the longest question to the coordinator: a card is shorter, and so is everything else. */
const mostAsked = 1 << 20;
/** Milliseconds in which a new connection has to send its greeting. */
const greetingTimeout = 10_000;
/** Milliseconds for which an analyst's connection may be idle: a party's has to wait for jobs. */
const idleTimeout = 600_000;

interface ConnectionsOptions {
  readonly kit: Kit;
  readonly log: Log;
  /** Somebody met a limit, or may not be here. */
  readonly refused: (line: string) => void;
  readonly clock: () => number;
  /** The heads of all logs, which any member may ask for without a greeting. */
  readonly heads: () => Reply;
  /** What analysts, and the coordinator's operator, may ask. */
  readonly answer: (asker: Identity, question: IncomingQuestion) => Promise<Reply>;
  /** A party came or went. */
  readonly changed: (came: string | undefined) => void;
}

interface Connection {
  readonly conversation: Conversation;
  greeted: boolean;
  lastAsked: number;
}

/** The connections to all members that have dialled. */
export class Connections {
  private readonly connections = new Set<Connection>();
  private readonly parties = new Map<string, Conversation>();
  /** The version of moiety that each party has said last. */
  private readonly software = new Map<string, string>();
  /** When each party came or left last. */
  private readonly changes = new Map<string, number>();
  /** The number of the list of members that everybody connected was told. */
  private told: number;

  constructor(private readonly options: ConnectionsOptions) {
    this.told = options.kit.roster.number;
  }

  /** The connection to a party, if there is one. */
  of(party: string): Conversation | undefined {
    return this.parties.get(party);
  }

  /** The version of moiety that a party runs, as it has said; undefined where nobody has seen it. */
  softwareOf(party: string): string | undefined {
    return this.software.get(party);
  }

  /** Since when a party is here, or away; undefined where nobody has seen it. */
  since(party: string): string | undefined {
    const time = this.changes.get(party);
    return time === undefined ? undefined : new Date(time).toISOString();
  }

  accept(link: Link): void {
    const { clock, log } = this.options;
    const others = [...this.connections].filter(({ conversation: { peer } }) => isSame(peer, link.peer)).length;
    const conversation: Conversation = new Conversation(link, {
      answer: async (question) => {
        if (others >= mostConnections)
          throw this.refuse(connection, `it has ${mostConnections} connections open already: close one of them`);
        connection.lastAsked = clock();
        if (question.method === "heads") return this.options.heads();
        if (connection.greeted) return this.options.answer(link.peer, question);
        return { meta: { wire: this.greet(connection, question) } };
      },
      mostAsked: () => mostAsked,
    });
    const connection: Connection = { conversation, greeted: false, lastAsked: clock() };
    conversation.onHidden = (error) => log(lineOf(error), "warning");
    this.connections.add(connection);
    const timer = setTimeout(() => connection.greeted || conversation.close(), greetingTimeout);
    conversation.ended.then((reason) => {
      clearTimeout(timer);
      this.connections.delete(connection);
      this.leave(conversation, reason);
    });
  }

  /** Closes connections of members that were revoked since, and idle ones of analysts. */
  tidy(): void {
    const { kit, log, clock } = this.options;
    readMembers(kit, log);
    // A connection that came since the last look has had the list read too.
    const isNew = kit.roster.number > this.told;
    this.told = kit.roster.number;
    const revoked = revokedList(kit);
    const known = [...kit.roster.members, ...kit.roster.removed];
    for (const { conversation, lastAsked } of [...this.connections]) {
      const { peer } = conversation;
      const member = known.find((each) => isSame(each, peer));
      if (isNew) this.tellMembers(conversation);
      try {
        recognise(kit, member?.fingerprint ?? "", revoked);
        if (peer.role !== "party" && clock() - lastAsked > idleTimeout) conversation.close();
      } catch (error) {
        log((error as Error).message, "warning");
        conversation.close();
      }
    }
  }

  close(): void {
    for (const { conversation } of this.connections) conversation.close();
  }

  /** Returns the version of the wire contract that both sides speak from now on. */
  private greet(connection: Connection, { method, meta }: IncomingQuestion): number {
    const { kit, log } = this.options;
    let greeted: Greeted;
    const { conversation } = connection;
    const { peer } = conversation;
    try {
      if (method !== "hello") throw failed("a greeting comes first");
      greeted = checkGreeting(meta, peer, kit.federation);
    } catch (error) {
      throw this.refuse(connection, (error as Error).message);
    }
    const { wire, software, members } = greeted;
    connection.greeted = true;
    conversation.wire = wire;
    if (members < kit.roster.number) this.tellMembers(conversation);
    if (peer.role !== "party") return wire;
    // A party may reconnect before its old connection is known to be dead.
    this.parties.get(peer.name)?.close();
    this.parties.set(peer.name, conversation);
    this.software.set(peer.name, software);
    this.changes.set(peer.name, this.options.clock());
    log(`${peer.name} is here`);
    this.options.changed(peer.name);
    return wire;
  }

  /** Passes on the list of members as the authority has signed it. */
  private tellMembers(conversation: Conversation): void {
    const body = Buffer.from(this.options.kit.roster.text);
    conversation.ask("members", {}, { body }).catch((error) => {
      this.options.log(`${conversation.peer.name} did not take the list of members: ${lineOf(error)}`, "warning");
    });
  }

  private refuse({ conversation }: Connection, why: string): MoietyError {
    const { role, name } = conversation.peer;
    this.options.refused(`${role} ${name} was refused: ${why}`);
    // The reason still has to be sent.
    setTimeout(() => conversation.close(), 100);
    return failed(why);
  }

  private leave(conversation: Conversation, reason: MoietyError | undefined): void {
    const { role, name } = conversation.peer;
    const why = reason ? `: ${reason.message}` : "";
    if (this.parties.get(name) === conversation) {
      this.parties.delete(name);
      this.changes.set(name, this.options.clock());
      this.options.log(`${name} is gone${why}`, "warning");
      this.options.changed(undefined);
    } else if (reason && role !== "party") this.options.log(`${role} ${name}${why}`);
  }
}

function isSame(a: Identity, b: Identity): boolean {
  return a.role === b.role && a.name === b.name;
}
