import { computed, effect, type Signal, signal, untracked } from "@preact/signals";
import { MoietyError } from "../src/errors.js";
import type {
  CheckView,
  ClusterView,
  ColumnRole,
  MovedView,
  PageAnswers,
  PageProgress,
  PageQuestion,
  PageRequest,
  PageSource,
  SectionsView,
  TableView,
} from "../src/explore/questions.js";
import type { Asked, Engine } from "./engine/messages.js";
import { sharedSettings } from "./sharing.js";

const firstRequest: PageRequest = { k: 5, delta: 0.2, tolerance: 1, seed: 1, dropMissing: false };

/** Everything that the page shows, and what can be done. One of these lives as long as the page. */
export class PageState {
  readonly table = signal<TableView | undefined>(undefined);
  readonly roles = signal<Readonly<Record<string, ColumnRole>>>({});
  readonly request = signal<PageRequest>(firstRequest);
  readonly check = signal<CheckView | undefined>(undefined);
  readonly found = signal<ClusterView | undefined>(undefined);
  /** What the shown clusters were asked with. */
  readonly askedWith = signal<string | undefined>(undefined);
  readonly moved = signal<MovedView | undefined>(undefined);
  readonly showsWithout = signal(false);
  readonly tradeOff = signal<SectionsView | undefined>(undefined);
  readonly failures = signal<Readonly<Record<string, string>>>({});
  /** What is being worked on, by the name of its question. */
  readonly working = signal<Readonly<Record<string, PageProgress>>>({});
  readonly settings = computed(() => JSON.stringify([this.roles.value, this.request.value]));
  readonly isStale = computed(() => this.askedWith.value !== undefined && this.askedWith.value !== this.settings.value);
  private readonly running = new Map<string, Asked<unknown>>();

  constructor(readonly engine: Engine) {
    // The latest settings are checked; what was asked before them is no longer of interest.
    effect(() => {
      const [table, roles, request] = [this.table.value, this.roles.value, this.request.value];
      if (table) untracked(() => void this.ask({ kind: "check", roles, request }, this.check));
    });
  }

  async open(source: PageSource): Promise<void> {
    for (const each of [this.found, this.moved, this.tradeOff, this.askedWith, this.check] as Signal<unknown>[]) {
      each.value = undefined;
    }
    this.table.value = undefined;
    const table = await this.ask({ kind: "open", source });
    if (!table) return;
    const shared = sharedSettings();
    const names = new Set(table.columns.map(({ name }) => name));
    const fits = shared && Object.keys(shared.roles).every((name) => names.has(name));
    const proposed = Object.fromEntries(table.columns.map(({ name, proposed: role }) => [name, role]));
    this.roles.value = fits ? { ...proposed, ...shared.roles } : proposed;
    this.request.value = fits ? shared.request : { ...firstRequest, dropMissing: table.dropMissing };
    this.table.value = table;
  }

  setRole(column: string, role: ColumnRole): void {
    const others = role === "id" ? withoutIds(this.roles.value) : this.roles.value;
    this.roles.value = { ...others, [column]: role };
  }

  change(change: Partial<PageRequest>): void {
    const entries = Object.entries({ ...this.request.value, ...change }).filter(([, value]) => value !== undefined);
    this.request.value = Object.fromEntries(entries) as unknown as PageRequest;
  }

  async cluster(): Promise<void> {
    const [settings, roles, request] = [this.settings.value, this.roles.value, this.request.value];
    const found = await this.ask({ kind: "cluster", roles, request }, this.found);
    if (!found) return;
    this.askedWith.value = settings;
    [this.moved.value, this.tradeOff.value, this.showsWithout.value] = [undefined, undefined, false];
  }

  /** Clusters without promises are found when they are first asked for. */
  async showWithout(shown: boolean): Promise<void> {
    if (shown && !this.moved.value && !(await this.ask({ kind: "moved" }, this.moved))) return;
    this.showsWithout.value = shown;
  }

  async sweep(along: "delta" | "k"): Promise<void> {
    await this.ask({ kind: "sweep", roles: this.roles.value, request: this.request.value, along }, this.tradeOff);
  }

  stop(kind: PageQuestion["kind"]): void {
    this.running.get(kind)?.cancel();
  }

  /** Asks the engine; of several questions of a kind only the last is answered. Undefined where it failed, which is then shown. */
  async ask<Kind extends PageQuestion["kind"]>(
    question: Extract<PageQuestion, { kind: Kind }>,
    into?: Signal<PageAnswers[Kind] | undefined>,
  ): Promise<PageAnswers[Kind] | undefined> {
    const { kind } = question;
    this.running.get(kind)?.cancel();
    const asked = this.engine.ask<Kind>(question, (progress) => {
      if (this.running.get(kind) === asked) this.working.value = { ...this.working.value, [kind]: progress };
    });
    this.running.set(kind, asked);
    this.working.value = { ...this.working.value, [kind]: { phase: "", part: 0 } };
    this.failures.value = without(this.failures.value, kind);
    try {
      const answer = await asked.answer;
      if (this.running.get(kind) !== asked) return undefined;
      if (into) into.value = answer;
      return answer;
    } catch (error) {
      const cancelled = error instanceof MoietyError && error.code === "cancelled";
      if (this.running.get(kind) === asked && !cancelled) {
        this.failures.value = { ...this.failures.value, [kind]: (error as Error).message };
      }
      return undefined;
    } finally {
      if (this.running.get(kind) === asked) {
        this.running.delete(kind);
        this.working.value = without(this.working.value, kind);
      }
    }
  }
}

function without<Value>(from: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));
}

function withoutIds(roles: Readonly<Record<string, ColumnRole>>): Readonly<Record<string, ColumnRole>> {
  return Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, role === "id" ? "left out" : role]));
}
