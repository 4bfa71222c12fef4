import { computed, effect, type Signal, signal, untracked } from "@preact/signals";
import { MoietyError } from "../src/errors.js";
import type {
  Asking,
  BudgetOutlook,
  CheckView,
  ClusterView,
  ColumnRole,
  ColumnRoles,
  MovedView,
  PageAnswers,
  PageProgress,
  PageQuestion,
  PageRequest,
  PageSource,
  RepeatedView,
  TableView,
  TradeOffView,
} from "../src/explore/questions.js";
import type { Predictor } from "../src/table/index.js";
import type { Asked, Engine } from "./engine/messages.js";
import { language } from "./language.js";
import { sharedSettings } from "./sharing.js";
import { words } from "./words.js";

/** A slider that has rested so long, in milliseconds, is worth the programs that decide hard cases and find the nearest request. */
export const rest = 150;

const firstRequest: PageRequest = { k: 5, delta: 0.2, tolerance: 1, seed: 1, dropMissing: false };

/** Everything that the page shows, and what can be done. One of these lives as long as the page. */
export class PageState {
  readonly table = signal<TableView | undefined>(undefined);
  readonly roles = signal<Readonly<Record<string, ColumnRole>>>({});
  readonly request = signal<PageRequest>(firstRequest);
  readonly check = signal<CheckView | undefined>(undefined);
  /** Whether more is yet to be told of the latest settings. */
  readonly isChecking = signal(false);
  readonly found = signal<ClusterView | undefined>(undefined);
  /** What the shown clusters were asked with. */
  readonly askedWith = signal<string | undefined>(undefined);
  readonly moved = signal<MovedView | undefined>(undefined);
  readonly showsWithout = signal(false);
  readonly tradeOff = signal<TradeOffView | undefined>(undefined);
  readonly proxies = signal<readonly Predictor[] | undefined>(undefined);
  readonly newcomers = signal<RepeatedView | undefined>(undefined);
  readonly outlook = signal<BudgetOutlook | undefined>(undefined);
  readonly privately = signal<RepeatedView | undefined>(undefined);
  readonly trained = signal<RepeatedView | undefined>(undefined);
  /** The file that is open, where one was chosen here. */
  readonly file = signal<File | undefined>(undefined);
  /** Why the settings of this page's link were not used. */
  readonly linkFault = signal<string | undefined>(undefined);
  readonly failures = signal<Readonly<Record<string, string>>>({});
  /** What is being worked on, by the name of its question. */
  readonly working = signal<Readonly<Record<string, PageProgress>>>({});
  readonly settings = computed(() => JSON.stringify([this.roles.value, this.request.value]));
  readonly isStale = computed(() => this.askedWith.value !== undefined && this.askedWith.value !== this.settings.value);
  private readonly running = new Map<PageQuestion["kind"], Asked<unknown>>();

  constructor(readonly engine: Engine) {
    // The latest settings are checked; what was asked before them is no longer of interest.
    effect(() => {
      const [table, roles, request] = [this.table.value, this.roles.value, this.request.value];
      if (table) {
        untracked(() => {
          this.checked = this.checkSettings({ roles, request });
        });
      }
    });
    effect(() => {
      const [table, roles] = [this.table.value, this.roles.value];
      if (table) untracked(() => void this.lookForProxies(roles));
    });
  }

  /** `file` is what the source was read from, for whoever wants to keep it. */
  async open(source: PageSource, file?: File): Promise<void> {
    // What is still being asked is of the table before.
    for (const kind of this.running.keys()) this.stop(kind);
    this.clear(this.table, this.file, this.found, this.askedWith, this.check, this.trained, this.proxies);
    this.clearRun();
    const table = await this.ask({ kind: "open", source, language });
    if (!table) return;
    this.file.value = file;
    const proposed = Object.fromEntries(table.columns.map(({ name, proposed: role }) => [name, role]));
    const shared = sharedSettings();
    const given = shared === "broken" ? undefined : shared;
    const unknown = Object.keys(given?.roles ?? {}).filter((name) => !Object.hasOwn(proposed, name));
    const fits = given !== undefined && unknown.length === 0;
    this.linkFault.value =
      shared === "broken" ? words.brokenLink : unknown.length > 0 ? words.otherColumns(unknown) : undefined;
    this.roles.value = fits ? { ...proposed, ...given.roles } : proposed;
    this.request.value = { ...firstRequest, ...(fits ? given.request : { dropMissing: table.dropMissing }) };
    this.table.value = table;
  }

  private clear(...signals: readonly Signal[]): void {
    for (const each of signals) each.value = undefined;
  }

  /** What belongs to clusters that are no longer shown. */
  private clearRun(): void {
    for (const kind of ["moved", "newcomers"] as const) this.stop(kind);
    this.clear(this.moved, this.tradeOff, this.newcomers, this.privately, this.outlook);
    this.showsWithout.value = false;
  }

  /** There is one id, and one weight. */
  setRole(column: string, role: ColumnRole): void {
    const single = role === "id" || role === "weight";
    const entries = Object.entries(this.roles.value).map(([name, other]) => [
      name,
      single && other === role ? "left out" : other,
    ]);
    this.roles.value = { ...Object.fromEntries(entries), [column]: role };
  }

  change(change: Partial<PageRequest>): void {
    const entries = Object.entries({ ...this.request.value, ...change }).filter(([, value]) => value !== undefined);
    this.request.value = Object.fromEntries(entries) as unknown as PageRequest;
  }

  /** After the check, which people wait for. */
  private async lookForProxies(roles: ColumnRoles): Promise<void> {
    await this.checked;
    if (this.roles.value === roles) await this.ask({ kind: "proxies", roles }, this.proxies);
  }

  private checked: Promise<void> = Promise.resolve();
  private resting: ReturnType<typeof setTimeout> | undefined;

  /** First what can be told at once; where that is not that it can be met, all of it as soon as nothing changes any more. */
  private async checkSettings(asking: Asking): Promise<void> {
    clearTimeout(this.resting);
    this.isChecking.value = true;
    const settings = this.settings.value;
    const isLatest = () => this.settings.value === settings;
    const told = await this.ask({ kind: "check", quick: true, ...asking }, this.check);
    if (!isLatest()) return;
    if (told?.feasible === true || !told) {
      // What held for other settings says nothing of these.
      this.check.value = told;
      this.isChecking.value = false;
      return;
    }
    this.resting = setTimeout(async () => {
      await this.ask({ kind: "check", ...asking }, this.check);
      if (isLatest()) this.isChecking.value = false;
    }, rest);
  }

  async cluster(): Promise<void> {
    const [settings, roles, request] = [this.settings.value, this.roles.value, this.request.value];
    const found = await this.ask({ kind: "cluster", roles, request }, this.found);
    if (!found) return;
    this.askedWith.value = settings;
    const { tradeOff } = this;
    const kept = this.keepsTradeOff ? tradeOff.value : undefined;
    this.clearRun();
    tradeOff.value = kept;
  }

  private keepsTradeOff = false;

  /** Runs a value of the trade-off anew, as the command line would; the trade-off stays in sight. */
  async openValue({ k, delta }: { readonly k: number; readonly delta: number | null }): Promise<void> {
    this.change({ k, ...(delta === null ? {} : { delta }) });
    this.keepsTradeOff = true;
    await this.cluster();
    this.keepsTradeOff = false;
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
