import { createHash } from "node:crypto";
import { fromJson } from "../src/federation/transport/frame.js";
import type { AuditEntry } from "../src/privacy/audit/log.js";
import { verifyAudit } from "../src/privacy/audit/verify.js";
import { type Fault, isDangerous } from "./faults.js";
import { kitOf, type MemberName, members, type SimulatedFederation } from "./federation.js";
import { names } from "./jobs.js";
import type { Passing } from "./network.js";
import type { Outcome } from "./schedule.js";

/** Bodies of so many bytes or more do not repeat by chance. */
const telling = 64;

/** Looks at everything that passes, and at what is kept at the end. */
export class Watch {
  /** What was asked, by line and call: whose job, attempt and step. */
  private readonly asked = new Map<string, string>();
  /** Answers with masks: what was answered where, and where each body was seen. */
  private readonly answered = new Map<string, string>();
  private readonly bodies = new Map<string, string>();
  private readonly repeated: string[] = [];
  /** Noise that was drawn: by site and name. */
  private readonly drawn = new Map<string, string>();
  private readonly putBack = new Set<MemberName>();

  constructor(private readonly federation: SimulatedFederation) {
    for (const name of names) {
      federation.disk(name).onWrite = (key, value) => this.write(name, key, value);
    }
  }

  see({ line, member, direction, frame }: Passing): void {
    const call = `${line} ${frame.call}`;
    if (direction === "down" && frame.kind === "ask" && (frame.method === "relay" || frame.method === "batch")) {
      const { epoch, step, steps } = fromJson(frame.meta) as {
        epoch: number;
        step?: number;
        steps?: { step: number }[];
      };
      this.asked.set(call, `${member} epoch ${epoch} step ${step ?? steps?.at(-1)?.step}`);
    }
    const question = this.asked.get(call);
    if (direction !== "up" || frame.kind !== "answer" || question === undefined || frame.body.length < telling) return;
    const body = digestOf(frame.body);
    const before = this.answered.get(question);
    if (before !== undefined && before !== body) this.repeated.push(`two answers under one mask: ${question}`);
    const elsewhere = this.bodies.get(body);
    if (elsewhere !== undefined && elsewhere !== question)
      this.repeated.push(`the same masked numbers twice: ${elsewhere}, ${question}`);
    this.answered.set(question, body);
    this.bodies.set(body, question);
  }

  wasPutBack(member: MemberName): void {
    this.putBack.add(member);
    for (const key of [...this.drawn.keys()]) if (key.startsWith(`${member} `)) this.drawn.delete(key);
  }

  async hashOf(id: string | undefined): Promise<string | undefined> {
    if (id === undefined) return undefined;
    const keys = members.flatMap((name) => this.federation.disk(name).keys(`jobs/${id}`));
    return keys[0]?.split("/")[1];
  }

  /** Whether every site has written down that the job is over. */
  allTold(hash: string): boolean {
    return names.every((name) => this.federation.disk(name).keys(`jobs/${hash}/over`).length > 0);
  }

  /** Promises that were broken on the way, of a job that has ended or not. */
  async broken(hash: string, happened: readonly Fault[], isOver: boolean): Promise<string[]> {
    const broken = [...this.repeated];
    for (const name of names) {
      const spent = this.federation
        .disk(name)
        .ledger.filter(({ kind, ...rest }) => kind === "release" && JSON.stringify(rest).includes(hash));
      if (spent.length > 1) broken.push(`${name} has spent its budget ${spent.length} times`);
      if (this.putBack.has(name)) continue;
      for (const kind of ["joined", "begun"]) {
        const epochs = this.entries(name)
          .filter((entry) => entry.kind === kind && entry.details.job === hash)
          .map(({ details }) => details.epoch);
        if (new Set(epochs).size < epochs.length) broken.push(`${name} has ${kind} an attempt twice`);
      }
    }
    if (isOver && !happened.some(isDangerous) && !this.allTold(hash))
      broken.push("not every site was told that the job is over");
    return [...broken, ...(await this.auditFaults())];
  }

  private async auditFaults(): Promise<string[]> {
    const kit = await kitOf("coordinator");
    const sources = members.map((site) => ({ site, path: site, lines: () => this.federation.disk(site).audit }));
    const verdicts = await verifyAudit(kit.roster.everybody, sources);
    // Others have seen what a log that was put back does not have: that is found, as it should be.
    return verdicts
      .filter(({ site }) => !this.putBack.has(site as MemberName))
      .flatMap(({ site, faults }) => faults.map((fault) => `the audit log of ${site}: ${fault}`));
  }

  private entries(name: MemberName): AuditEntry[] {
    return this.federation.disk(name).audit.map((line) => (JSON.parse(line) as { entry: AuditEntry }).entry);
  }

  private write(name: string, key: string, value: Uint8Array): void {
    if (!/\/released\//.test(key)) return;
    const place = `${name} ${key}`;
    const digest = digestOf(value);
    const before = this.drawn.get(place);
    if (before !== undefined && before !== digest) this.repeated.push(`${name} has drawn noise twice for one payment`);
    this.drawn.set(place, digest);
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Promises about the end of a job, against the same job to which nothing happened. */
export function checkOutcome({ plan, state, reason, happened, fetched }: Outcome, reference: Outcome): string[] {
  if (state === "failed") {
    if (!happened.some(isDangerous)) return [`it failed without need: ${reason}`];
    return reason ? [] : ["it failed and does not say why"];
  }
  // What private jobs publish carries noise of its own.
  if (state !== "done" || plan.kind.startsWith("private") || hasAbsences(fetched)) return [];
  const [is, was] = [answerOf(fetched), answerOf(reference.fetched)];
  if (is === was) return [];
  const from = Array.from(is).findIndex((letter, at) => letter !== was[at]);
  const part = (text: string) => text.slice(Math.max(0, from - 60), from + 60);
  return [`its answer is another one: …${part(is)}… instead of …${part(was)}…`];
}

/** Whether the result says that some sites were away: it is of the others then. */
function hasAbsences(fetched: Outcome["fetched"]): boolean {
  if (!fetched || "alignment" in fetched) return false;
  const { absences = [] } = "training" in fetched ? fetched.training : fetched.result;
  return absences.length > 0;
}

/** What a job was run for: labels, model, or common people; without what tells how it came about. */
function answerOf(fetched: Outcome["fetched"]): string {
  if (!fetched) return "nothing";
  if ("training" in fetched) {
    const { model, training } = fetched;
    return JSON.stringify([model && JSON.parse(model), training], lasting);
  }
  if ("alignment" in fetched) return JSON.stringify([fetched.alignment.common, fetched.alignment.id]);
  const { labels, result } = fetched;
  return JSON.stringify([labels ?? null, result.sizes, result.sse]);
}

/** Leaves out what differs from one run to the next. */
function lasting(key: string, value: unknown): unknown {
  return ["seconds", "epochs", "communication", "sites", "job"].includes(key) ? undefined : value;
}
