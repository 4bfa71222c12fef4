import { type CountedPeople, settle } from "../algorithms/settings.js";
import type { ClusterOptions, PeopleClustering, Progress } from "../algorithms/types.js";
import { countGroups } from "../constraints/bounds.js";
import { countPatterns } from "../constraints/feasibility/index.js";
import { defined } from "../defined.js";
import { asKeys, MoietyError } from "../errors.js";
import type { Provenance } from "../report/html/parts.js";
import type { Language } from "../report/language.js";
import { preparePeopleInTurns } from "../table/people.js";
import type { People, Table } from "../table/types.js";
import type { ExploredClassifier } from "./classifier.js";
import type { WriteParquet } from "./files.js";
import type { Newcomers } from "./newcomers.js";
import type { PrivateMeans } from "./private.js";
import { privateRoles } from "./private-roles.js";
import type {
  Asking,
  BudgetOutlook,
  CheckView,
  ClassifierRequest,
  ClusterView,
  ColumnRoles,
  FileView,
  MovedView,
  NewcomersRequest,
  PageAnswers,
  PageProgress,
  PageQuestion,
  PageRequest,
  PageSource,
  PrivateRequest,
  RepeatedView,
  SavedFile,
  TableView,
  TradeOffView,
} from "./questions.js";
import type { CalledSource } from "./repeat.js";
import { attributeOf, peopleOptionsOf } from "./roles.js";
import { partsView } from "./sections.js";
import { proxiesIn, tableView } from "./table-view.js";

/** What an exploration needs of where it runs. */
export interface ExplorationMeans {
  /** How sources become tables. */
  readonly read: (source: Exclude<PageSource, { kind: "sample" }>, following: Following) => Promise<Table>;
  readonly writeParquet: WriteParquet;
  /** What commands call the people at a place. */
  readonly called?: (place: string) => Promise<CalledPlace>;
  /** Absent in a tab: a ledger that a reload forgets is no budget. */
  readonly private?: PrivateMeans;
}

export interface CalledPlace extends CalledSource {
  /** It is a table of an engine. */
  readonly inEngine: boolean;
}

export interface Following {
  readonly onProgress?: (progress: PageProgress) => void;
  readonly signal?: AbortSignal;
}

export interface Opened extends CalledSource {
  readonly table: Table;
  readonly language: Language;
  /** These people were made here: no file has them yet. */
  readonly invented: boolean;
  /** Where the source lies, where it is a place that others know by the same name. */
  readonly place?: string;
}

/** People in clusters, and how to have them again. */
export interface ExploredClusters {
  readonly people: People;
  readonly clustering: PeopleClustering;
  readonly command: string;
}

/** Everything that can be saved. */
export interface FoundThings {
  clusters?: ExploredClusters;
  private?: ExploredClusters;
  newcomers?: Newcomers;
  classifier?: ExploredClassifier & { readonly command: string };
}

/** People, and what of them a request depends on: their counts, so that nobody is looked at again while a slider moves. */
interface ReadyPeople {
  readonly key: string;
  readonly people: People;
  readonly counted: CountedPeople;
  readonly facts: Pick<CheckView, "people" | "total" | "groups">;
}

/** Invented people of the page's sample: enough for a picture, few enough for a second. */
const samplePeople = 5000;
/** Sections of reports that the page shows in its own way: its map has everybody. */
const drawnByPage = ["map"];
/** What the page says of private clusters is short. */
const notForPrivate = [...drawnByPage, "convergence", "price", "columns"];
/** Choices of columns whose people are kept. */
const mostPrepared = 2;
/** Other invented people than those, who can join their clusters. */
const newcomersSeed = 3;

/**
 * What the explore page works with: one table, the people made of it, and what was last found. It runs in a worker of the page's tab or in
 * the process of `moiety explore`, and answers alike in both.
 */
export class Exploration {
  private opened: Opened | undefined;
  /** The last choices of columns: a private run leaves some out, and is looked at beside the other. */
  private prepared: readonly ReadyPeople[] = [];
  private found: FoundThings = {};

  constructor(private readonly means: ExplorationMeans) {}

  async answer(question: PageQuestion, following: Following = {}): Promise<PageAnswers[PageQuestion["kind"]]> {
    switch (question.kind) {
      case "open":
        return this.open(question.source, question.language ?? "en", following);
      case "proxies":
        return proxiesIn(this.current().table, question.roles);
      case "check":
        return this.check(question, question.quick ?? false, following);
      case "cluster":
        return this.cluster(question, following);
      case "moved":
        return this.moved(following);
      case "sweep":
        return this.sweep(question, question.along, following);
      case "newcomers":
        return this.newcomers(question, following);
      case "budget":
        return this.budget(question);
      case "private":
        return this.privately(question, question.confirmed, following);
      case "train":
        return this.train(question.roles, question, following);
      case "file":
        return this.file(question);
    }
  }

  private async open(source: PageSource, language: Language, following: Following): Promise<TableView> {
    const invented = source.kind === "sample";
    const table = invented ? await inventPeople(samplePeople, 1) : await this.means.read(source, following);
    // Reading goes on to its end: a table that nobody waits for any more takes no other's place.
    if (following.signal?.aborted) throw new MoietyError("cancelled", "stopped");
    const { inEngine, ...called } = await this.called(source, "people.csv");
    const own = source.kind === "place" && source.shown === undefined ? source.place : undefined;
    // One table of an engine has many addresses: its budget needs another name.
    const place = inEngine ? undefined : own;
    this.opened = { ...called, table, language, invented, ...defined({ place }) };
    [this.prepared, this.found] = [[], {}];
    const hasSecret = inEngine && called.name !== own;
    return { ...tableView(table), name: called.name, inEngine, hasSecret, ...defined({ place }) };
  }

  private async check({ roles, request }: Asking, quick: boolean, { signal }: Following): Promise<CheckView> {
    const { counted, facts } = await this.prepare(roles, request);
    try {
      const options = { ...optionsOf(request, counted), ...defined({ signal }) };
      const { feasible } = await settle(counted, options, quick ? "quick" : "usual");
      return { ...facts, feasible: feasible || "undecided", nearest: [] };
    } catch (error) {
      if (!(error instanceof MoietyError) || error.code === "cancelled") throw error;
      return { ...facts, feasible: false, why: error.message, nearest: error.nearest };
    }
  }

  private async cluster(asking: Asking, following: Following): Promise<ClusterView> {
    const { roles, request } = asking;
    const opened = this.current();
    const { name, table, language } = opened;
    const people = await this.peopleOf(roles, request);
    const options = optionsOf(request, people);
    const columns = peopleOptionsOf(table, roles, request);
    const { commandOf, programOf } = await import("./repeat.js");
    const command = await this.withPeople(commandOf(opened, columns, options));
    const from = { command, source: name, language };
    const { clustering, parts } = await clusterPeople(people, options, following, from, drawnByPage);
    this.stillOf(table);
    this.found = { clusters: { people, clustering, command } };
    const { mapOf } = await import("./map.js");
    return {
      ...partsView(parts, "clusters-"),
      result: clustering.result,
      map: mapOf(people, clustering.labels, clustering.result.seed),
      command,
      program: programOf(opened, columns, options),
    };
  }

  private async moved({ signal }: Following): Promise<MovedView> {
    const { people, clustering } = this.clustered();
    const { whoMoved } = await import("./moved.js");
    return whoMoved(people, clustering, signal);
  }

  private async sweep({ roles, request }: Asking, along: "delta" | "k", following: Following): Promise<TradeOffView> {
    const people = await this.peopleOf(roles, request);
    const { tradeOff } = await import("./trade-off.js");
    return tradeOff(people, optionsOf(request, people), along, this.current().language, following);
  }

  private async newcomers({ source, how, tolerance }: NewcomersRequest, following: Following): Promise<RepeatedView> {
    const { people, clustering } = this.clustered();
    const { table: opened } = this.current();
    const table =
      source.kind === "sample"
        ? await inventPeople(samplePeople / 5, newcomersSeed)
        : await this.means.read(source, following);
    const columns = { ...defined({ id: people.ids?.column }), ...(people.dropped ? { missing: "drop" as const } : {}) };
    const [{ placeNewcomers }, { newcomersParts }, { speaking }] = await Promise.all([
      import("./newcomers.js"),
      import("../report/newcomers-page.js"),
      import("../report/speaking.js"),
    ]);
    const newcomers = await placeNewcomers(people, clustering, table, how, {
      ...columns,
      ...defined({ tolerance, signal: following.signal }),
    });
    this.stillOf(opened);
    this.found.newcomers = newcomers;
    const parts = speaking(this.current().language, () => newcomersParts(newcomers.placed));
    const called = await this.called(source, "newcomers.csv");
    const id = newcomers.ids === undefined ? {} : { id: newcomers.ids.column };
    const { id: _, ...others } = columns;
    const asked = { ...others, ...id, ...defined({ tolerance }) };
    const { inventedBy, newcomersCommand, newcomersProgram } = await import("./repeat.js");
    const repeating = newcomersCommand(how, called, asked);
    const command =
      source.kind === "sample"
        ? `${inventedBy(newcomers.table.rows, called.name, newcomersSeed)} && ${repeating}`
        : repeating;
    return { ...partsView(parts, "newcomers-"), command, program: newcomersProgram(how, called, asked) };
  }

  private async budget({ roles, request, ...asked }: Asking & PrivateRequest): Promise<BudgetOutlook> {
    const { used, without } = privateRoles(this.current().table, roles);
    const known = await this.peopleOf(roles, request);
    // A slider moves meanwhile: people are prepared anew only where others would be left out.
    const people = known.dropped ? await this.peopleOf(used, request) : withoutAttributes(known, without);
    const { budgetOutlook } = await import("./private.js");
    return { ...(await budgetOutlook(people, request, asked, await this.ledgerOf(asked.dataset))), without };
  }

  private async privately(
    { roles, request, ...asked }: Asking & PrivateRequest,
    confirmed: string,
    following: Following,
  ): Promise<RepeatedView> {
    const opened = this.current();
    const { name, table, language, place } = opened;
    const { used } = privateRoles(table, roles);
    const people = await this.peopleOf(used, request);
    const ledger = await this.ledgerOf(asked.dataset);
    const { privateOptions } = await import("./private.js");
    const { noise, ledger: folder } = this.privateMeans();
    const options = privateOptions(request, asked, confirmed, ledger, noise);
    const spending = defined({ dataset: place === undefined ? asked.dataset.trim() : undefined, ledger: folder });
    const { commandOf } = await import("./repeat.js");
    const command = await this.withPeople(commandOf(opened, peopleOptionsOf(table, used, request), options, spending));
    const from = { command, source: name, language };
    const { clustering, parts } = await clusterPeople(people, options, following, from, notForPrivate);
    this.stillOf(table);
    this.found.private = { people, clustering, command };
    return { ...partsView(parts, "private-"), command };
  }

  private async train(roles: ColumnRoles, request: ClassifierRequest, following: Following): Promise<RepeatedView> {
    const opened = this.current();
    const { name, table, language } = opened;
    const protect = attributeOf(table, request.protect);
    // What is to be learnt, and whose groups are compared, is nothing to learn from.
    const others = Object.fromEntries(
      Object.entries(roles).filter(
        ([column, role]) => column !== request.label && role !== "protected" && role !== "weight",
      ),
    );
    const columns = { ...peopleOptionsOf(table, others, request), protect: [protect] };
    const { trainClassifier } = await import("./classifier.js");
    const { trainCommand, trainProgram } = await import("./repeat.js");
    const classifier = await trainClassifier(table, columns, { ...request, protect }, following);
    const command = await this.withPeople(trainCommand(opened, columns, request));
    this.stillOf(table);
    this.found.classifier = { ...classifier, command };
    const parts = classifier.parts({ command, source: name, language });
    return {
      ...partsView(parts, "classifier-", ["columns"]),
      command,
      program: trainProgram(opened, columns, request),
    };
  }

  private async file(asked: SavedFile): Promise<FileView> {
    const { fileOf } = await import("./files.js");
    return fileOf(asked, this.current(), this.found, this.means.writeParquet);
  }

  /** What commands call a source; invented people are in no file yet, and get a name for it. */
  private async called(source: PageSource, invented: string): Promise<CalledPlace> {
    if (source.kind === "sample") return { name: invented, inEngine: false };
    if (source.kind === "file") return { name: source.name, inEngine: false };
    const { place, shown } = source;
    const called = (await this.means.called?.(place)) ?? { name: place, inEngine: false };
    return shown === undefined ? called : { ...called, name: shown };
  }

  /** A command that makes invented people first, where no file has them. */
  private async withPeople(command: string): Promise<string> {
    const { name, invented } = this.current();
    const { inventedBy } = await import("./repeat.js");
    return invented ? `${inventedBy(samplePeople, name)} && ${command}` : command;
  }

  private current(): Opened {
    if (this.opened) return this.opened;
    throw new MoietyError("usage", "no table is open: choose a file first");
  }

  /** What was found of a table that was closed meanwhile is of no interest, and must not be taken for the next one's. */
  private stillOf(table: Table): void {
    if (this.opened?.table !== table) throw new MoietyError("cancelled", "stopped: another table was opened");
  }

  private clustered(): ExploredClusters {
    if (this.found.clusters) return this.found.clusters;
    throw new MoietyError("usage", "nothing is clustered yet: start a run first");
  }

  private privateMeans(): PrivateMeans {
    if (this.means.private) return this.means.private;
    throw new MoietyError("usage", "private runs need moiety explore: a ledger that a reload forgets is no budget");
  }

  /** Of a file by its place, as on the command line; of others by the name that they are given. */
  private ledgerOf(dataset: string) {
    const { place } = this.current();
    const named = place ?? dataset.trim();
    const means = this.privateMeans();
    if (named !== "") return means.openLedger(named);
    throw new MoietyError("usage", "name the dataset whose budget is spent: the same name whenever it is these people");
  }

  private async peopleOf(roles: ColumnRoles, request: PageRequest): Promise<People> {
    return (await this.prepare(roles, request)).people;
  }

  /** People are prepared anew only where columns play other parts. */
  private async prepare(roles: ColumnRoles, request: PageRequest): Promise<ReadyPeople> {
    const { table } = this.current();
    const key = JSON.stringify([Object.entries(roles), request.dropMissing]);
    const known = this.prepared.find((ready) => ready.key === key);
    if (known) return known;
    const people = await preparePeopleInTurns(table, peopleOptionsOf(table, roles, request));
    this.stillOf(table);
    const ready = { key, people, ...countedOf(people) };
    this.prepared = [ready, ...this.prepared].slice(0, mostPrepared);
    return ready;
  }
}

function withoutAttributes(people: People, without: readonly string[]): People {
  return { ...people, attributes: people.attributes.filter(({ name }) => !without.includes(name)) };
}

function countedOf(people: People): Pick<ReadyPeople, "counted" | "facts"> {
  const { n, weights, attributes } = people;
  const groups = attributes.flatMap((attribute) => {
    const counts = countGroups(attribute);
    return attribute.groups.map((group, at) => ({ attribute: attribute.name, group, people: counts[at] }));
  });
  const facts = { people: n, total: weights?.total ?? n, groups };
  // Of people with weights those of each weight are counted, by the core itself.
  if (weights || attributes.length === 0) return { counted: people, facts };
  const patterns = countPatterns(attributes, n);
  const counts = Float64Array.from(patterns.counts);
  const codes = patterns.codes.map((each) => Uint16Array.from(each));
  return {
    counted: { ...people, attributes: attributes.map((each, at) => ({ ...each, codes: codes[at], people: counts })) },
    facts,
  };
}

async function inventPeople(n: number, seed: number): Promise<Table> {
  const { generateTable } = await import("../table/generate.js");
  return generateTable("people", { n, seed });
}

async function clusterPeople(
  people: People,
  options: ClusterOptions,
  { onProgress, signal }: Following,
  from: Provenance,
  withoutSections: readonly string[],
) {
  const heard = onProgress && ((progress: Progress) => onProgress(partOf(progress)));
  const { cluster } = await import("../algorithms/cluster.js");
  const clock = () => performance.now();
  const clustering = await cluster(people, { ...options, clock, ...defined({ signal, onProgress: heard }) });
  const { reportParts } = await import("../report/report.js");
  // Options are words here, as in a job's file.
  const warnings = clustering.result.warnings.map(asKeys);
  const told = { ...clustering, result: { ...clustering.result, warnings } };
  const parts = reportParts({ people, clustering: told, ...from }, withoutSections);
  return { clustering: told, parts };
}

function optionsOf(
  { dropMissing: _, delta, ...request }: PageRequest,
  { attributes }: Pick<People, "attributes">,
): ClusterOptions {
  return { ...request, ...(attributes.length > 0 ? { delta } : {}) };
}

function partOf({ phase, start, starts, pass, passes }: Progress): PageProgress {
  return { phase, part: Math.min(1, (start + Math.min(1, pass / Math.max(1, passes))) / starts) };
}
