import type { JobRecord } from "./job.js";

/** Where one party of a job stands, as far as its coordinator can tell. */
export interface SiteView {
  readonly name: string;
  /**
   * consent: has not signed yet; agreed: has signed, and the run has not begun; preparing: reads its data; left: the run goes on
   * without it; ended: the job has failed elsewhere.
   */
  readonly stage:
    | "consent"
    | "refused"
    | "agreed"
    | "preparing"
    | "aligning"
    | "running"
    | "left"
    | "finished"
    | "ended";
  readonly connected: boolean;
  /** Since when the coordinator waits for it: for a decision, a connection, a repair or an answer. Null where it does not. */
  readonly waitedForSince: string | null;
  /** What is waited for. */
  readonly waitedFor: "approval" | "connection" | "repair" | "answer" | null;
  /** Whether the others wait for it most of the time. */
  readonly slow: boolean;
  /** Seconds in which the coordinator has waited for its answers, in the present attempt of the run. */
  readonly answering: number;
  /** Why it refused. */
  readonly reason: string | null;
}

/** Milliseconds for which an answer is not called waited for: most questions take less. */
const usualAnswer = 3000;
/** A site is slow when its answers take so many times as long as those of the next slowest, and so many milliseconds in all. */
const slowRatio = 2;
const slowTotal = 2000;

/** How long each party lets the coordinator of a job wait, whatever it is asked. */
export class SiteTimes {
  /** When waiting for a decision, a connection or a repair began. */
  private waited = new Map<string, number>();
  private readonly asked = new Map<string, Set<{ readonly since: number }>>();
  private totals = new Map<string, number>();

  constructor(private readonly clock: () => number) {}

  /** A new attempt of the run begins. */
  begin(): void {
    this.totals = new Map();
  }

  /** These are waited for, from now on or from an earlier time; the others are not. */
  wait(names: readonly string[], since: number): void {
    this.waited = new Map(names.map((name) => [name, this.waited.get(name) ?? since]));
  }

  /** A question is asked: what is returned is called when it has an answer. */
  ask(name: string): () => void {
    const question = { since: this.clock() };
    const open = this.asked.get(name) ?? new Set();
    this.asked.set(name, open.add(question));
    return () => {
      open.delete(question);
      // Of questions that are asked at the same time the last answer counts.
      if (open.size === 0) this.totals.set(name, (this.totals.get(name) ?? 0) + this.clock() - question.since);
    };
  }

  waitedSince(name: string): number | undefined {
    return this.waited.get(name);
  }

  /** Since when an answer is missing that usually would be there. */
  answerDueSince(name: string): number | undefined {
    const oldest = Math.min(...[...(this.asked.get(name) ?? [])].map(({ since }) => since));
    return this.clock() - oldest > usualAnswer ? oldest : undefined;
  }

  /** In milliseconds. */
  total(name: string): number {
    return this.totals.get(name) ?? 0;
  }

  isSlow(name: string): boolean {
    const others = [...this.totals].filter(([other]) => other !== name).map(([, total]) => total);
    return others.length > 0 && this.total(name) > Math.max(slowTotal, slowRatio * Math.max(...others));
  }
}

/** What there is to know of a job beside its record. */
interface Situation {
  readonly record: JobRecord;
  readonly times: SiteTimes;
  readonly connected: (name: string) => boolean;
  readonly aligning: boolean;
  readonly progress: boolean;
}

export function siteViews(situation: Situation): SiteView[] {
  const { record, times, connected } = situation;
  return record.card.parties.map(({ name }) => {
    const stage = stageOf(name, situation);
    const over = record.state.is === "done" || record.state.is === "failed";
    // The state names everybody until all were asked; who has signed and is there is not waited for.
    const idle = stage === "agreed" && connected(name);
    const waited = over || idle ? undefined : times.waitedSince(name);
    const due = over ? undefined : times.answerDueSince(name);
    const since = waited ?? due;
    return {
      name,
      stage,
      connected: connected(name),
      waitedForSince: since === undefined ? null : new Date(since).toISOString(),
      waitedFor: waited !== undefined ? reasonFor(stage, connected(name)) : due !== undefined ? "answer" : null,
      slow: stage === "running" && times.isSlow(name),
      answering: times.total(name) / 1000,
      reason: record.refusals?.[name] ?? null,
    };
  });
}

function reasonFor(stage: SiteView["stage"], connected: boolean): SiteView["waitedFor"] {
  if (!connected) return "connection";
  return stage === "consent" ? "approval" : "repair";
}

function stageOf(name: string, { record, aligning, progress }: Situation): SiteView["stage"] {
  const { state, consents, refusals, epoch } = record;
  if (refusals && name in refusals) return "refused";
  if (state.is === "done") return "finished";
  if (state.is === "failed") return "ended";
  if (!(name in consents)) return "consent";
  if (epoch === 0) return "agreed";
  if (state.is === "running" && state.without?.includes(name)) return "left";
  return aligning ? "aligning" : progress ? "running" : "preparing";
}
