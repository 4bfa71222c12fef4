import { settle } from "../algorithms/settings.js";
import type { ClusterOptions, PeopleClustering, Progress } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { groupCounts } from "../metrics/index.js";
import { describeTable, generateTable, type People, preparePeopleInTurns, type Table } from "../table/index.js";
import { histogramOf } from "./histogram.js";
import { labelsText } from "./labels-text.js";
import { mapOf } from "./map.js";
import type {
  CheckView,
  ClusterView,
  ColumnRole,
  ColumnRoles,
  FileView,
  MovedView,
  PageAnswers,
  PageProgress,
  PageQuestion,
  PageRequest,
  PageSource,
  SavedFile,
  SectionsView,
  TableView,
} from "./questions.js";
import { commandOf, inventedBy, peopleOptionsOf, programOf } from "./repeat.js";

/** How sources become tables where the exploration runs. */
export type ReadSource = (source: Exclude<PageSource, { kind: "sample" }>) => Promise<Table>;

export interface Following {
  readonly onProgress?: (progress: PageProgress) => void;
  readonly signal?: AbortSignal;
}

interface Opened {
  readonly name: string;
  readonly table: Table;
  /** These people were made here: no file has them yet. */
  readonly invented: boolean;
}

interface Answered {
  readonly people: People;
  readonly clustering: PeopleClustering;
  readonly command: string;
}

/** Invented people of the page's sample: enough for a picture, few enough for a second. */
const samplePeople = 5000;
/** Values of delta that the trade-off shows, and how far k goes around the one asked for. */
const deltas = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5];
const reach = 4;

/**
 * What the explore page works with: one table, the people made of it, and the last clusters. It runs in a worker of the page's tab or in
 * the process of `moiety explore`, and answers alike in both.
 */
export class Exploration {
  private opened: Opened | undefined;
  private prepared: { readonly key: string; readonly people: People } | undefined;
  private answered: Answered | undefined;

  constructor(private readonly read: ReadSource) {}

  async answer(question: PageQuestion, following: Following = {}): Promise<PageAnswers[PageQuestion["kind"]]> {
    switch (question.kind) {
      case "open":
        return this.open(question.source);
      case "check":
        return this.check(question.roles, question.request, following);
      case "cluster":
        return this.cluster(question.roles, question.request, following);
      case "moved":
        return this.moved(following);
      case "sweep":
        return this.sweep(question.roles, question.request, question.along, following);
      case "file":
        return this.file(question.name);
    }
  }

  private async open(source: PageSource): Promise<TableView> {
    const table = source.kind === "sample" ? generateTable("people", { n: samplePeople }) : await this.read(source);
    const name =
      source.kind === "sample" ? "people.csv" : source.kind === "file" ? source.name : (source.shown ?? source.place);
    const { columns, predictors, warnings, suggestion, rows } = describeTable(table);
    [this.opened, this.prepared, this.answered] = [
      { name, table, invented: source.kind === "sample" },
      undefined,
      undefined,
    ];
    const suggested = new Set(suggestion?.categorical ?? []);
    const excluded = new Set(suggestion?.exclude ?? []);
    const proposed = (column: (typeof columns)[number]): ColumnRole => {
      if (column.role === "protect") return "protected";
      if (column.role === "id") return "id";
      if (suggested.has(column.name)) return "category";
      return column.role === "feature" && !excluded.has(column.name) ? "feature" : "left out";
    };
    return {
      name,
      rows,
      columns: columns.map((column, at) => ({
        ...column,
        proposed: proposed(column),
        ...defined({ histogram: histogramOf(table.columns[at]) }),
      })),
      predictors,
      warnings,
      dropMissing: suggestion?.missing === "drop",
    };
  }

  private async check(roles: ColumnRoles, request: PageRequest, { signal }: Following): Promise<CheckView> {
    const people = await this.peopleOf(roles, request);
    const groups = people.attributes.flatMap((attribute) =>
      groupCounts(attribute, new Uint16Array(people.n), 1).map(([count], at) => ({
        attribute: attribute.name,
        group: attribute.groups[at],
        people: count,
      })),
    );
    try {
      await settle(people, { ...optionsOf(request, people), ...defined({ signal }) });
      return { people: people.n, feasible: true, nearest: [], groups };
    } catch (error) {
      if (!(error instanceof MoietyError) || error.code === "cancelled") throw error;
      return { people: people.n, feasible: false, why: error.message, nearest: error.nearest, groups };
    }
  }

  private async cluster(
    roles: ColumnRoles,
    request: PageRequest,
    { onProgress, signal }: Following,
  ): Promise<ClusterView> {
    const people = await this.peopleOf(roles, request);
    const options = optionsOf(request, people);
    const told = onProgress && ((progress: Progress) => onProgress(partOf(progress)));
    const clock = () => performance.now();
    const { cluster } = await import("../algorithms/cluster.js");
    const clustering = await cluster(people, { ...options, clock, ...defined({ signal, onProgress: told }) });
    const { name, table, invented } = this.current();
    const columns = peopleOptionsOf(table, roles, request);
    const repeating = commandOf(name, columns, options);
    const command = invented ? `${inventedBy(samplePeople, name)} && ${repeating}` : repeating;
    this.answered = { people, clustering, command };
    const { reportParts } = await import("../report/report.js");
    const { opening, sections } = reportParts({ people, clustering, command, source: name });
    return {
      result: clustering.result,
      opening: opening.text,
      // The page draws a map of its own, of everybody.
      sections: sections
        .filter(({ id }) => id !== "map")
        .map(({ id, link, content }) => ({ id, link, markup: content.text })),
      map: mapOf(people, clustering.labels, clustering.result.seed),
      command,
      program: programOf(name, columns, options),
    };
  }

  /** Against clusters of the same seed without any promise, found now. */
  private async moved({ signal }: Following): Promise<MovedView> {
    const { people, clustering } = this.answeredNow();
    const { k, seed } = clustering.result;
    const plain = { ...people, attributes: [] };
    const [{ cluster }, { matchClusters }] = await Promise.all([
      import("../algorithms/cluster.js"),
      import("../algorithms/without-promises.js"),
    ]);
    const { labels } = await cluster(plain, { k, seed, ...defined({ signal }) });
    const without = matchClusters(clustering.labels, labels, k);
    const flows = Array.from({ length: k }, () => new Array<number>(k).fill(0));
    clustering.labels.forEach((to, i) => {
      flows[without[i]][to]++;
    });
    const [costs, costsWithout] = [clustering.labels, without].map((each) => costsOf(people, each, k));
    const groups = people.attributes.flatMap(({ name, groups: names, codes }) =>
      names.map((group, at) => {
        let [count, moved, cost, costWithout] = [0, 0, 0, 0];
        for (let i = 0; i < people.n; i++) {
          if (codes[i] !== at) continue;
          count++;
          if (without[i] !== clustering.labels[i]) moved++;
          cost += costs[i];
          costWithout += costsWithout[i];
        }
        return {
          attribute: name,
          group,
          people: count,
          moved,
          cost: cost / Math.max(1, count),
          costWithout: costWithout / Math.max(1, count),
        };
      }),
    );
    const stayed = flows.reduce((sum, row, m) => sum + row[m], 0);
    return { people: people.n - stayed, flows, groups, map: mapOf(people, without, seed) };
  }

  private async sweep(
    roles: ColumnRoles,
    request: PageRequest,
    along: "delta" | "k",
    { onProgress, signal }: Following,
  ): Promise<SectionsView> {
    const [{ sweep }, { sweepParts }] = await Promise.all([
      import("../algorithms/sweep.js"),
      import("../report/sweep-page.js"),
    ]);
    const people = await this.peopleOf(roles, request);
    const { k, delta, ...rest } = optionsOf(request, people);
    const from = Math.max(2, k - reach);
    const ks = along === "k" ? Array.from({ length: 2 * reach + 1 }, (_, at) => from + at) : [k];
    const asked = along === "delta" ? { delta: deltas } : defined({ delta: delta === undefined ? undefined : [delta] });
    const values = along === "delta" ? deltas.length : ks.length;
    const { result } = await sweep(people, {
      ...rest,
      k: ks,
      ...asked,
      ...defined({ signal }),
      onValue: ({ done }) => onProgress?.({ phase: "sweep", part: done / values }),
    });
    const { opening, sections } = sweepParts(result);
    return {
      opening: opening.text,
      sections: sections.map(({ id, link, content }) => ({ id: `sweep-${id}`, link, markup: content.text })),
    };
  }

  private async file(name: SavedFile): Promise<FileView> {
    const { people, clustering, command } = this.answeredNow();
    const source = this.current().name;
    if (name === "labels") {
      return { name: "labels.csv", type: "text/csv", text: labelsText(people, clustering.labels) };
    }
    if (name === "report") {
      const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
      const { renderReport } = await import("../report/report.js");
      const text = renderReport({ people, clustering, command, source, made });
      return { name: "report.html", type: "text/html", text };
    }
    const { toModel } = await import("../algorithms/model.js");
    return {
      name: "model.json",
      type: "application/json",
      text: `${JSON.stringify(toModel(people, clustering), null, 2)}\n`,
    };
  }

  private current(): Opened {
    if (this.opened) return this.opened;
    throw new MoietyError("usage", "no table is open: choose a file first");
  }

  private answeredNow(): Answered {
    if (this.answered) return this.answered;
    throw new MoietyError("usage", "nothing is clustered yet: start a run first");
  }

  /** People are prepared anew only where columns play other parts. */
  private async peopleOf(roles: ColumnRoles, request: PageRequest): Promise<People> {
    const { table } = this.current();
    const key = JSON.stringify([Object.entries(roles), request.dropMissing]);
    if (this.prepared?.key !== key) {
      this.prepared = { key, people: await preparePeopleInTurns(table, peopleOptionsOf(table, roles, request)) };
    }
    return this.prepared.people;
  }
}

function optionsOf({ dropMissing: _, delta, ...request }: PageRequest, { attributes }: People): ClusterOptions {
  return { ...request, ...(attributes.length > 0 ? { delta } : {}) };
}

function partOf({ phase, start, starts, pass, passes }: Progress): PageProgress {
  return { phase, part: Math.min(1, (start + Math.min(1, pass / Math.max(1, passes))) / starts) };
}

/** Each person's squared distance to the mean of their cluster. */
function costsOf({ n, dimensions }: Pick<People, "n" | "dimensions">, labels: Uint16Array, k: number): Float64Array {
  const costs = new Float64Array(n);
  const [sums, sizes] = [new Float64Array(k), new Float64Array(k)];
  for (const label of labels) sizes[label]++;
  for (const column of dimensions) {
    sums.fill(0);
    for (let i = 0; i < n; i++) sums[labels[i]] += column[i];
    for (let i = 0; i < n; i++) costs[i] += (column[i] - sums[labels[i]] / sizes[labels[i]]) ** 2;
  }
  return costs;
}
