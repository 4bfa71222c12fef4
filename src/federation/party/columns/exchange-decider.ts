import type { Move } from "../../../kernels/best-moves.js";
import type { Range } from "../../../kernels/rows.js";
import type { Moves } from "../../../parties/column-party.js";
import { joiningCosts, joiningsOf } from "../../../parties/crowding.js";
import type { Grid } from "../../../parties/grid.js";
import { allOf, changesBetween } from "../../../parties/moves.js";
import type { Decider, JoinedPair } from "../../../solver/decider.js";
import { drawByDistance, drawSeveral, noRow } from "../../../solver/draw-by-distance.js";
import { cheapestMoves, farthestPerson, type ScoredPeople } from "./best-moves.js";
import { type Comparing, known, type ScoreRange, walled } from "./comparing.js";
import type { JointColumns } from "./joint-columns.js";
import { Stretches } from "./stretches.js";

/** Decides where no site sees another's scores: by comparisons of rows, of which the coordinator finds the smallest number. */
export class ExchangeDecider implements Decider {
  /** While centres are chosen. */
  private nearest: NearestChosen | undefined;

  constructor(
    readonly columns: JointColumns,
    readonly traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 },
  ) {}

  async sample(rows: Uint32Array): Promise<Decider> {
    return new ExchangeDecider(await this.columns.sample(rows), this.traffic);
  }

  assign(range: Range, ownFirst: boolean): Promise<number> {
    const { columns } = this;
    columns.changed();
    return columns.log.pass(range.to - range.from, async () => {
      const own = ownFirst ? await columns.local.labels(range) : undefined;
      return columns.local.adopt(range, await this.choose(new Stretches([range]), own));
    });
  }

  async propose(ranges: readonly Range[]): Promise<Moves> {
    const { columns } = this;
    let moves: Moves | undefined;
    const people = new Stretches(ranges);
    const count = await columns.log.pass(people.length, async () => {
      const own = await people.gather((range) => columns.local.labels(range), Uint16Array);
      const chosen = await this.choose(people, own);
      moves = allOf(
        people.placed().map(({ range, at }) => {
          const to = at + range.to - range.from;
          return changesBetween(range, own.subarray(at, to), chosen.subarray(at, to));
        }),
      );
      return moves.rows.length;
    });
    return moves ?? { rows: new Uint32Array(count), to: new Uint16Array(count) };
  }

  bestMoves(ranges: readonly Range[]): Promise<Move[]> {
    const { columns } = this;
    return columns.log.pass(columns.rows, async () => {
      if (columns.k === 1) return [];
      const pinned = new Set(columns.local.pinned);
      return cheapestMoves(await this.scored("possible moves"), this.comparing, { ranges, pinned });
    });
  }

  async farthest(clusters: ReadonlySet<number>): Promise<number | undefined> {
    const row = await this.columns.log.result(async () => {
      return farthestPerson(await this.scored("people"), this.comparing, clusters);
    });
    return row < 0 ? undefined : row;
  }

  /** Moves whose total change is below -1, which is more than rounding. */
  helping(moves: Moves): Promise<boolean[]> {
    const { columns } = this;
    return columns.flags(moves, async () => {
      const changes = await columns.local.judge(moves);
      const slightly = new Float64Array(changes.length).fill(columns.leads ? -1 : 0);
      return this.comparing.pairs(slightly, changes, { range: 2 ** 43, what: "proposed moves" });
    });
  }

  async approach(row: number, first: boolean): Promise<void> {
    const { columns } = this;
    await columns.log.result(async () => {
      if (first) this.nearest = new NearestChosen(this.comparing, columns.opening!.grid);
      await this.nearest!.approach(await columns.local.distances(row));
      return 0;
    });
  }

  async approachCentres(): Promise<void> {
    const { columns } = this;
    await columns.log.result(async () => {
      this.nearest = new NearestChosen(this.comparing, columns.opening!.grid);
      await this.nearest.approach(await columns.local.ownDistances());
      return 0;
    });
  }

  async leastMissed(among: ReadonlySet<number>): Promise<JoinedPair | undefined> {
    const { columns } = this;
    const joinings = joiningsOf(await columns.sizes(), among);
    if (joinings.clusters.length === 0) return undefined;
    const least = await columns.log.result(async () => {
      const costs = joiningCosts(joinings, await columns.local.spacing());
      const reach = distanceReach(columns.opening!.grid, 10, "pairs of centres");
      const [first] = await this.comparing.columns(1, costs.length, known(costs, costs.length), undefined, reach);
      return first;
    });
    return { cluster: joinings.clusters[least], into: joinings.into[least] };
  }

  async drawByDistance(seed: number): Promise<number | undefined> {
    const winner = await this.columns.log.result(async () => {
      return (await this.nearest!.drawByDistance(seed, this.columns.weights)) ?? -1;
    });
    return winner < 0 ? undefined : winner;
  }

  async drawSeveral(seed: number, most: number): Promise<Uint32Array> {
    return Uint32Array.from(
      await this.columns.log.result(async () =>
        Array.from(await this.nearest!.drawSeveral(seed, this.columns.weights, most)),
      ),
    );
  }

  nearerTo(row: number): Promise<Uint32Array> {
    const { columns } = this;
    return columns.log.fleeting(
      async () => this.nearest!.nearerTo(await columns.local.distances(row)),
      () => new Uint32Array(0),
    );
  }

  private get comparing(): Comparing {
    return this.columns.shared.comparing;
  }

  private choose(people: Stretches, own: Uint16Array | undefined): Promise<Uint16Array> {
    const { k, local } = this.columns;
    const scores = (from: number, to: number) => {
      return people.between(from, to).gather((range) => local.scores(range), Float64Array, k);
    };
    return this.comparing.columns(people.length, k, scores, own, this.columns.scoreReach("people", 1));
  }

  /** All people with this party's parts of their scores; differences of two scores will be compared. */
  private async scored(what: string): Promise<ScoredPeople> {
    const { k, local, rows } = this.columns;
    const reach = this.columns.scoreReach(what, 2);
    const scores = walled(await local.scores({ from: 0, to: rows }), reach);
    return { k, labels: await local.labels(), scores, reach };
  }
}

/** k-means++ without disclosing a distance: which of two distances is less, and who wins a contest, are comparisons. */
class NearestChosen {
  /** This party's part of everybody's distance to the nearest chosen person. */
  private parts: Float64Array | undefined;

  constructor(
    private readonly comparing: Comparing,
    private readonly grid: Grid,
  ) {}

  /** Another person was chosen, with these distances to everybody: who is nearer to it than before takes the new distance. */
  async approach(distances: Float64Array): Promise<void> {
    const { parts } = this;
    if (!parts) {
      this.parts = distances;
      return;
    }
    for (const person of await this.nearerTo(distances)) parts[person] = distances[person];
  }

  /** Who is nearer to somebody, with these distances to everybody, than to the nearest chosen person. */
  async nearerTo(distances: Float64Array): Promise<Uint32Array> {
    const nearer = await this.comparing.pairs(this.parts!, distances, this.reach(0));
    return Uint32Array.from(nearer.keys()).filter((person) => nearer[person] === 1);
  }

  drawByDistance(seed: number, weights: Float64Array | undefined): Promise<number | undefined> {
    return drawByDistance(this.parts!.length, seed, weights, (rows, factors, width) => this.pick(rows, factors, width));
  }

  drawSeveral(seed: number, weights: Float64Array | undefined, most: number): Promise<Uint32Array> {
    return drawSeveral(this.parts!.length, seed, weights, most, (rows, factors, width) =>
      this.pick(rows, factors, width),
    );
  }

  private async pick(rows: Uint32Array, factors: Float64Array, width: number): Promise<Uint8Array> {
    const worth = factors.map((factor, at) => (rows[at] === noRow ? 0 : -factor * this.parts![rows[at]]));
    const contests = rows.length / width;
    return Uint8Array.from(
      await this.comparing.columns(contests, width, known(worth, width), undefined, this.reach(10)),
    );
  }

  private reach(bits: number): ScoreRange {
    return distanceReach(this.grid, bits, "people");
  }
}

/** Squared distances are not weighted yet; `bits` are those of the factors that they are multiplied with. */
function distanceReach({ reach, weightBits }: Grid, bits: number, what: string): ScoreRange {
  return { range: 2 ** (reach - weightBits - 1 + bits), what };
}
