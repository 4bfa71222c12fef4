import { statementOf } from "../../../algorithms/dp-fair/statement.js";
import type { PrivatePlan } from "../../../algorithms/method.js";
import { failed } from "../../../errors.js";
import type { LocalColumns } from "../../../parties/local-columns.js";
import { type CountedAttribute, groupsInCells } from "../../../parties/mixture-site.js";
import type { Chance } from "../../../privacy/noise/chance.js";
import type { Card } from "../../consent/card.js";
import type { ResultPart } from "../../results/part.js";
import { fromPieces, toPieces } from "../../wire/numbers.js";
import type { Exchange } from "./exchange.js";
import { type KeptNumbers, ReleasedOnce, type ReleasedOnceOptions } from "./released-once.js";

export interface PrivateCellsOptions extends ReleasedOnceOptions {
  readonly card: Card;
  readonly plan: PrivatePlan;
  /** In the order of the card; others' without codes. */
  readonly attributes: readonly CountedAttribute[];
  readonly chance: Chance;
}

/** What is told instead of true shares; of private people, also instead of true sizes. */
export type ToldOfCells = Pick<ResultPart, "privacy" | "warnings"> & Partial<Pick<ResultPart, "sizes" | "sse">>;

/**
 * Private clusters of people whose columns are split: the solver has found cells by features alone, and clusters are made of these.
 *
 * The promise, to everybody but the holder of an attribute itself, the other sites and the coordinator together: for the same people, one of
 * whom has other protected attributes, nothing that they see becomes more likely by more than a factor e^epsilon.
 *
 * Proof. Until the census, what this site sends depends on its features and on random keys: no attribute is part of what the solver
 * is asked for (`solvedCard`), of the digests of columns, or of distances between cells. So the cells are the same for both
 * tables, also if others leave the protocol to choose them. The census is the one use of the attributes: each person is in one cell, so one
 * who changes changes one count of an attribute of two groups and two counts of others, by 1 each, S in all. Their holders add discrete Laplace noise of
 * scale S / epsilon to every count, each the whole noise and not a share, before anything is masked; so the counts of all holders
 * together are epsilon-private, whoever else colludes. They are kept before they leave and drawn once: a repetition shows nothing
 * new, and other cells get none. Clusters, counts by cluster, warnings and labels follow from cells and noisy counts, as
 * everybody could compute them. The result tells no true share. Whether a site pays is on the card; which groups there are is too.
 */
export class PrivateCells {
  private found: { readonly clusters: Uint16Array; readonly told: ToldOfCells } | undefined;

  private readonly once: ReleasedOnce;

  constructor(private readonly options: PrivateCellsOptions) {
    this.once = new ReleasedOnce(options);
  }

  /** Makes clusters of the cells that everybody is in; all sites come to the same ones. */
  async divide(columns: LocalColumns, exchange: Exchange): Promise<void> {
    const { card, plan } = this.options;
    const cells = await columns.labels();
    const sizes = await columns.sizes();
    const counted = await this.count(cells, sizes.length);
    await columns.recentre();
    const spacing = await this.spacing(await columns.spacing(), sizes.length, exchange);
    const counts = await this.census(counted, exchange);
    const { clusters, released, noisyBalance, warnings } = plan.divide!({ sizes, spacing }, counts, card.seed);
    this.found = {
      clusters,
      told: {
        privacy: {
          ...statementOf(plan.costs, true),
          ...{ released, noisyBalance, cells: sizes.length, colluders: card.parties.length - 1 },
        },
        warnings: [...plan.doubts, ...warnings],
      },
    };
  }

  /** The clusters of people in these cells. */
  clustersOf(cells: Uint16Array): Uint16Array {
    return cells.map((cell) => this.ended.clusters[cell]);
  }

  /** For the readers of the result. */
  get told(): ToldOfCells {
    return this.ended.told;
  }

  private get ended() {
    if (!this.found) throw failed("the run has not come to its end");
    return this.found;
  }

  /** How far apart cells are over all columns, [cells][cells]: whole numbers of the grid, so sums are exact. */
  private async spacing(own: Float64Array, cells: number, exchange: Exchange): Promise<Float64Array> {
    const pairs = Array.from({ length: cells }, (_, a) => Array.from({ length: a }, (_, b) => [a, b] as const)).flat();
    const numbers = toPieces(pairs.map(([a, b]) => own[a * cells + b]));
    const sums = fromPieces(await exchange.sum(numbers, "distances between cells"));
    const spacing = new Float64Array(cells * cells);
    pairs.forEach(([a, b], at) => {
      spacing[a * cells + b] = spacing[b * cells + a] = sums[at];
    });
    return spacing;
  }

  /** Groups in cells, as far as they are counted here. */
  private count(cells: Uint16Array, count: number): Promise<KeptNumbers> {
    const { plan, attributes, chance } = this.options;
    return this.once.keep("groups", [cells], () => groupsInCells(cells, count, attributes, plan.terms.census!, chance));
  }

  /** The counts of all sites: all have kept theirs, since they have added up distances after that. */
  private census(counted: KeptNumbers, exchange: Exchange): Promise<Float64Array> {
    return this.once.open(counted, censusOf(this.options), exchange);
  }
}

/** What a site adds to the census, for its journal. */
export function censusOf({ attributes, plan }: Pick<PrivateCellsOptions, "attributes" | "plan">): string {
  const owns = attributes.some(({ codes }) => codes !== undefined);
  const noise = plan.terms.census?.noise ? ", with noise" : "";
  return owns ? `people of each group in cells${noise}` : "zeros, where others count groups";
}
