import { partOfCentres } from "../../../algorithms/dp-fair/noisy-parties.js";
import { statementOf } from "../../../algorithms/dp-fair/statement.js";
import type { NoisyColumns, PrivateProblem, PrivateSolution } from "../../../algorithms/method.js";
import { failed } from "../../../errors.js";
import type { LocalColumns } from "../../../parties/local-columns.js";
import { groupsInCells, privateGridBits, type SummedColumns, sumsInCells } from "../../../parties/mixture-site.js";
import type { Decider } from "../../../solver/decider.js";
import { nearestCells } from "../../../solver/nearest-cells.js";
import type { Exchange } from "./exchange.js";
import { censusOf, type PrivateCellsOptions, type ToldOfCells } from "./private-cells.js";
import { ReleasedOnce } from "./released-once.js";

export interface PrivateColumnRoundsOptions extends PrivateCellsOptions {
  /** This site's columns, on the private grid. */
  readonly own: SummedColumns;
  /** How many columns all sites have together. */
  readonly columns: number;
}

/** What the sites do together in a run. */
export interface JoinedSites {
  readonly local: LocalColumns;
  readonly decider: Decider;
  readonly exchange: Exchange;
}

/**
 * Private clusters of people whose columns are split, where everything about a person is private: rounds of noisy sums by nearest centres, as many as the
 * plan says, and one census.
 *
 * The promise, to whoever sees nothing of the job but the model (centres of cells and their clusters) and the noisy counts: for the same people with one person more or
 * less, nothing that they see becomes more likely by more than a factor e^epsilon, but for delta. It is no promise to the sites, who know whom they have in
 * common and learn everybody's cell in each round, nor to the coordinator, who knows how many people there are.
 *
 * Proof. The centres of a round are public: they follow from the noisy sums of the rounds before, the seed and the plan. A person's values are held in the
 * public box of the card and rounded to the private grid, and so are centres: with the public grid of `nearestCells` the person's cell is a function of these values and
 * the centres alone, not of anybody else, of how many people there are or in which order; among equals the first cell wins. So one person more adds 1 to
 * one count, and x to one cell's sums: x is at most the root of the number of *all* columns long, a category being one, whichever site holds which of them. The first site counts, and each site
 * sums its own columns; each adds discrete Gaussian noise to its own numbers, all with the variance that the joint length asks for (`noisyRounds`, with `budgetOfLloyd`):
 * independent noise of one variance on all coordinates is what the theorem of `gaussianVariance` wants, whoever draws it. So a round is rho-zCDP, and the census as well, in which a person
 * adds 1 to one count of each of A attributes, of whatever sites. They add up as in proof (b) of dp-fair's notes. Sums over sites are of numbers with zeros everywhere else, hence exact and with one draw of noise
 * on each. No column is left out because another site's is equal (`digestsOf`): that would depend on everybody. What is too noisy is refused by the noisy count of the first
 * round. The plan follows from the card. Noise is drawn once for a job and kept (`ReleasedOnce`): a repetition shows nothing new.
 */
export class PrivateColumnRounds implements NoisyColumns {
  private readonly once: ReleasedOnce;
  private together: JoinedSites | undefined;
  private found: { readonly clusters: Uint16Array; readonly told: ToldOfCells } | undefined;

  constructor(private readonly options: PrivateColumnRoundsOptions) {
    this.once = new ReleasedOnce(options);
  }

  /** All sites come to the same cells and clusters. */
  async run(together: JoinedSites, terms: Pick<PrivateProblem, "signal" | "onProgress">): Promise<PrivateSolution> {
    const { card, plan } = this.options;
    const { seed, maxIterations } = card;
    this.together = together;
    const solution = await plan.solveColumns!(this, { seed, maxIterations, ...terms });
    const [{ clusters, released, noisyBalance, warnings }] = solution.clusterings;
    this.found = {
      clusters,
      told: {
        privacy: {
          ...statementOf(plan.costs, true),
          ...{ released, noisyBalance, cells: clusters.length, colluders: 0 },
          model: { centres: Array.from(solution.centres), clusters: Array.from(clusters) },
        },
        warnings: [...warnings],
        sizes: released.sizes.map((size) => Math.round(size)),
        sse: 0,
      },
    };
    return solution;
  }

  /** The clusters of people in these cells. */
  clustersOf(cells: Uint16Array): Uint16Array {
    return cells.map((cell) => this.ended.clusters[cell]);
  }

  /** For the readers of the result. */
  get told(): ToldOfCells {
    return this.ended.told;
  }

  async sums(centres: Float64Array, round: number): Promise<Float64Array> {
    const { plan, own, columns, chance } = this.options;
    const noise = plan.terms.noiseAt(round);
    if (noise === undefined) throw failed("the plan of this job has no such round");
    const cells = await this.cells(centres);
    const count = centres.length / columns;
    const what = `${own.counts ? "counts and sums" : "sums"} of people in cells${noise ? ", with noise" : ""}`;
    return this.release(`sums ${round}`, [centres, cells], what, () =>
      sumsInCells(cells, count, columns, own, noise, chance),
    );
  }

  async census(centres: Float64Array): Promise<Float64Array> {
    const { plan, attributes, columns, chance } = this.options;
    const cells = await this.cells(centres);
    return this.release("groups", [centres, cells], censusOf(this.options), () =>
      groupsInCells(cells, centres.length / columns, attributes, plan.terms.census!, chance),
    );
  }

  private async release(
    place: string,
    about: readonly ArrayBufferView[],
    what: string,
    draw: () => Float64Array,
  ): Promise<Float64Array> {
    const { exchange } = this.running;
    const kept = await this.once.keep(place, about, draw);
    await exchange.sum(new BigInt64Array(1), "word that noise is kept");
    return this.once.open(kept, what, exchange);
  }

  /** Everybody's cell, by comparisons of what all sites' columns add up to. */
  private cells(centres: Float64Array): Promise<Uint16Array> {
    const { own, columns } = this.options;
    const { local, decider } = this.running;
    return nearestCells(decider, centres.length / columns, { bits: privateGridBits, columns }, () => {
      local.setScaledCentres(partOfCentres(centres, columns, own.from, own.from + own.columns.length));
    });
  }

  private get running(): JoinedSites {
    if (!this.together) throw failed("the run has not begun");
    return this.together;
  }

  private get ended() {
    if (!this.found) throw failed("the run has not come to its end");
    return this.found;
  }
}
