import type { Bounds } from "../constraints/bounds.js";
import { type ClusterTally, excessInCluster, fairLimits, type Limits } from "../constraints/limits.js";
import type { People } from "../table/types.js";
import type { Model } from "./model.js";
import { type ModelPromises, withoutSmallCounts } from "./model-promises.js";
import { checkCounts, type ModelAttribute, promisesIn } from "./newcomers.js";

/** What a person costs in a cluster. */
export type CostAt = (person: number, cluster: number) => number;

interface HeldAttribute {
  readonly limits: Limits;
  readonly tally: ClusterTally;
  /** [groups][k], in units of distance. */
  readonly prices: Float64Array;
}

type NewcomersInGroups = Pick<People, "n" | "attributes" | "sourceRows" | "weights">;

/** What placing somebody in a cluster leads to. */
interface Choice {
  /** By how many people the cluster is beyond its limits then, and how many of these are new. */
  readonly beyond: number;
  readonly added: number;
  readonly cost: number;
}

/**
 * The clusters of a model and who is in them, as newcomers come. One at a time, each goes at once to the cluster that is
 * cheapest at the model's prices among those that are within all limits with them; where there is none, to the one where they
 * add least to what is beyond.
 */
export class CountedClusters {
  /** Whether the people of the model count too. */
  readonly together: boolean;
  private readonly held: readonly HeldAttribute[];
  private readonly sizes: Float64Array;
  private readonly limits: ModelPromises["sizes"];

  constructor(
    private readonly model: Model,
    private readonly asked: readonly ModelAttribute[],
    /** Default: where the model has their counts. */
    together?: boolean,
  ) {
    const promises = promisesIn(model);
    const { k, people } = model;
    this.together = together ?? (people !== undefined && asked.every(({ counts }) => counts));
    if (this.together) checkCounts(model, asked);
    const { sizes, tolerance } = promises;
    this.sizes = Float64Array.from({ length: k }, (_, m) => (this.together && people ? people[m] : 0));
    this.limits = sizes;
    this.held = asked.map(({ name, groups, lower, upper, counts, prices }) => {
      const bounds: Bounds = { attribute: name, groups, lower, upper, counts: groups.map(() => 0) };
      const nothing = groups.map(() => new Array<number>(k).fill(0));
      return {
        limits: fairLimits(bounds, tolerance),
        tally: { counts: Float64Array.from((this.together && counts ? counts : nothing).flat()), sizes: this.sizes },
        prices: Float64Array.from((prices ?? nothing).flat()),
      };
    });
  }

  /** Places people one after another, in the order of their rows; `excess` is by how many people each one's cluster is beyond its limits with them. */
  place({ n, attributes, sourceRows, weights }: NewcomersInGroups, costAt: CostAt) {
    const order = Uint32Array.from(sourceRows.keys()).sort((a, b) => sourceRows[a] - sourceRows[b]);
    const labels = new Uint16Array(n);
    const excess = new Float64Array(n);
    const all = { people: 0, excess: 0 };
    for (const person of order) {
      const groups = attributes.map(({ codes }) => codes[person]);
      const people = weights ? weights.values[person] : 1;
      const { cluster, beyond, added } = this.choose((m) => costAt(person, m), groups, people);
      labels[person] = cluster;
      excess[person] = beyond;
      if (beyond > 0) all.people++;
      all.excess += added;
      this.join(cluster, groups, people);
    }
    return { labels, excess, facts: { beyond: all } };
  }

  /** Counts people who were placed otherwise. */
  count({ attributes, weights }: Pick<People, "attributes" | "weights">, labels: Uint16Array): void {
    labels.forEach((cluster, person) => {
      this.join(
        cluster,
        attributes.map(({ codes }) => codes[person]),
        weights ? weights.values[person] : 1,
      );
    });
  }

  /** The model with everybody who was placed counted in it, the heaviest for so many; a private one stays as it is, since they have no noise. */
  updatedModel(heaviest: number): Model {
    if (this.model.clusters) return this.model;
    const promises = promisesIn(this.model);
    const { k, people, ...model } = this.model;
    const before = (count: number) => (this.together ? 0 : count);
    const attributes = promises.attributes.map((attribute) => {
      const at = this.asked.indexOf(attribute);
      const { counts, ...others } = attribute;
      if (at < 0 || !counts) return others;
      const now = this.held[at].tally.counts;
      return {
        ...others,
        counts: counts.map((row, group) => row.map((count, m) => now[group * k + m] + before(count))),
      };
    });
    const sizes = people?.map((count, m) => this.sizes[m] + before(count));
    const counted = { ...model, k, promises: { ...promises, attributes }, ...(sizes ? { people: sizes } : {}) };
    return withoutSmallCounts(counted, heaviest);
  }

  private choose(costIn: (cluster: number) => number, groups: readonly number[], people: number) {
    let best: (Choice & { cluster: number }) | undefined;
    for (let cluster = 0; cluster < this.model.k; cluster++) {
      const choice = { ...this.joining(cluster, costIn(cluster), groups, people), cluster };
      if (!best || isBetter(choice, best)) best = choice;
    }
    return best!;
  }

  private joining(m: number, distance: number, groups: readonly number[], people: number): Choice {
    let cost = distance;
    let [beyond, added] = this.isFull(m, people) ? [people, people] : [0, 0];
    this.held.forEach(({ limits, prices, tally }, at) => {
      cost += prices[groups[at] * this.model.k + m];
      const [before, then] = excessInCluster(limits, tally, m, groups[at], people);
      beyond += then;
      added += Math.max(0, then - before);
    });
    return { beyond, added, cost };
  }

  /** Whether so many people more are too many: where sizes are even, more than everybody's part. */
  private isFull(m: number, people: number): boolean {
    const { limits, sizes } = this;
    if (!limits) return false;
    const everybody = sizes.reduce((sum, size) => sum + size, people);
    const most = limits.even ? Math.ceil(everybody / sizes.length) : (limits.each?.[m] ?? limits).max;
    return sizes[m] + people > most;
  }

  private join(cluster: number, groups: readonly number[], people: number): void {
    this.sizes[cluster] += people;
    this.held.forEach(({ tally }, at) => {
      tally.counts[groups[at] * this.model.k + cluster] += people;
    });
  }
}

function isBetter(one: Choice, other: Choice): boolean {
  if (one.beyond > 0 !== other.beyond > 0) return one.beyond === 0;
  return one.added < other.added || (one.added === other.added && one.cost < other.cost);
}
