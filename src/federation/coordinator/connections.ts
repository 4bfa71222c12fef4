import { lineOf, MoietyError } from "../../errors.js";
import { type Kit, recognise } from "../identity/kit.js";
import type { Identity } from "../identity/member.js";
import { Conversation, type IncomingQuestion, type Reply } from "../transport/conversation.js";
import { revokedList } from "../transport/endpoints.js";
import type { Link } from "../transport/types.js";
import { checkGreeting } from "../wire/greeting.js";

/** Connections that one member may have at a time: an analyst who watches several jobs, or a party with a connection that is not known to be dead. */
const mostConnections = 8;
/** The longest question of a member to the coordinator: a card is none so long, and everything else is shorter. */
const mostAsked = 1 << 20;
/** Milliseconds in which whoever comes has to say who they are. */
const greetingTimeout = 10_000;
/** Milliseconds for which an analyst's connection may be of no use to anybody: a party's has to wait for jobs. */
const idleTimeout = 600_000;

interface ConnectionsOptions {
  readonly kit: Kit;
  readonly log: (line: string) => void;
  readonly clock: () => number;
  /** What anybody with a certificate may ask, without a greeting. */
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

/** The connections to everybody who is there. */
export class Connections {
  private readonly connections = new Set<Connection>();
  private readonly parties = new Map<string, Conversation>();

  constructor(private readonly options: ConnectionsOptions) {}

  /** The connection to a party, if it is there. */
  of(party: string): Conversation | undefined {
    return this.parties.get(party);
  }

  accept(link: Link): void {
    const { clock, log } = this.options;
    const crowd = [...this.connections].filter(({ conversation: { peer } }) => isSame(peer, link.peer)).length;
    const conversation: Conversation = new Conversation(link, {
      answer: async (question) => {
        if (crowd >= mostConnections)
          throw this.refuse(connection, `it has ${mostConnections} connections open already: close one of them`);
        connection.lastAsked = clock();
        if (question.method === "heads") return this.options.heads();
        if (connection.greeted) return this.options.answer(link.peer, question);
        this.greet(connection, question);
        return {};
      },
      mostAsked: () => mostAsked,
    });
    const connection: Connection = { conversation, greeted: false, lastAsked: clock() };
    conversation.onUntold = (error) => log(lineOf(error));
    this.connections.add(connection);
    const timer = setTimeout(() => connection.greeted || conversation.close(), greetingTimeout);
    conversation.ended.then((reason) => {
      clearTimeout(timer);
      this.connections.delete(connection);
      this.leave(conversation, reason);
    });
  }

  /** Whoever was revoked since they came is sent away, and so is whoever asks nothing. */
  tidy(): void {
    const { kit, log, clock } = this.options;
    const revoked = revokedList(kit);
    for (const { conversation, lastAsked } of this.connections) {
      const { peer } = conversation;
      const member = kit.members.find((each) => isSame(each, peer));
      try {
        recognise(kit, member?.fingerprint ?? "", revoked);
        if (peer.role !== "party" && clock() - lastAsked > idleTimeout) conversation.close();
      } catch (error) {
        log((error as Error).message);
        conversation.close();
      }
    }
  }

  close(): void {
    for (const { conversation } of this.connections) conversation.close();
  }

  private greet(connection: Connection, { method, meta }: IncomingQuestion): void {
    const { kit, log } = this.options;
    const { conversation } = connection;
    const { peer } = conversation;
    try {
      if (method !== "hello") throw new MoietyError("failed", "a greeting comes first");
      checkGreeting(meta, peer, kit.federation);
    } catch (error) {
      throw this.refuse(connection, (error as Error).message);
    }
    connection.greeted = true;
    if (peer.role !== "party") return;
    // Whoever reconnects may do so before the old connection is known to be dead.
    this.parties.get(peer.name)?.close();
    this.parties.set(peer.name, conversation);
    log(`${peer.name} is here`);
    this.options.changed(peer.name);
  }

  private refuse({ conversation }: Connection, why: string): MoietyError {
    const { role, name } = conversation.peer;
    this.options.log(`${role} ${name} was refused: ${why}`);
    // The reason still has to leave.
    setTimeout(() => conversation.close(), 100);
    return new MoietyError("failed", why);
  }

  private leave(conversation: Conversation, reason: MoietyError | undefined): void {
    const { role, name } = conversation.peer;
    const why = reason ? `: ${reason.message}` : "";
    if (this.parties.get(name) === conversation) {
      this.parties.delete(name);
      this.options.log(`${name} is gone${why}`);
      this.options.changed(undefined);
    } else if (reason && role !== "party") this.options.log(`${role} ${name}${why}`);
  }
}

function isSame(a: Identity, b: Identity): boolean {
  return a.role === b.role && a.name === b.name;
}
