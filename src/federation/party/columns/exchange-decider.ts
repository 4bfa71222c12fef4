import type { Move } from "../../../kernels/best-moves.js";
import type { Range } from "../../../kernels/rows.js";
import type { Moves } from "../../../parties/column-party.js";
import { joiningCosts, joiningsOf } from "../../../parties/crowding.js";
import type { Grid } from "../../../parties/grid.js";
import { allOf, changesBetween } from "../../../parties/moves.js";
import type { Decider, JoinedPair, Together } from "../../../solver/decider.js";
import {
  type ContestDraw,
  type Contests,
  drawByDistance,
  drawSeveral,
  noRow,
} from "../../../solver/draw-by-distance.js";
import { cheapestMoves, farthestPerson, type ScoredPeople } from "./best-moves.js";
import { type Comparing, known, type ScoreRange, walled } from "./comparing.js";
import type { Parts } from "./exchange.js";
import type { JointColumns } from "./joint-columns.js";
import { Stretches } from "./stretches.js";

/** Decides where no site sees another's scores: by comparisons of rows, of which the coordinator finds the smallest number. */
export class ExchangeDecider implements Decider {
  /** While centres are chosen. */
  nearest: NearestChosen | undefined;

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

  approach(row: number, first: boolean): Promise<void> {
    return new ExchangesTogether([this]).approach([row], first);
  }

  async approachCentres(): Promise<void> {
    const { columns } = this;
    await columns.log.result(async () => {
      this.nearest = new NearestChosen(this.comparing, columns.opening!.grid, await columns.local.ownDistances());
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
    const [winner] = await new ExchangesTogether([this]).drawByDistance([seed]);
    return winner;
  }

  async drawSeveral(seed: number, most: number): Promise<Uint32Array> {
    const { columns, comparing } = this;
    return Uint32Array.from(
      await columns.log.result(async () => {
        const drawing = drawSeveral(columns.rows, seed, columns.weights, most);
        const [rows] = await drawTogether([{ drawing, nearest: this.nearest! }], comparing);
        return Array.from(rows);
      }),
    );
  }

  together(others: readonly ExchangeDecider[]): Together {
    return new ExchangesTogether([this, ...others]);
  }

  nearerTo(row: number): Promise<Uint32Array> {
    const { columns } = this;
    return columns.log.fleeting(
      async () => this.nearest!.nearerTo(await columns.local.distances(row)),
      () => new Uint32Array(0),
    );
  }

  get comparing(): Comparing {
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

/** Clusterings that are asked about at once: the rows of all of them are shuffled among each other. */
class ExchangesTogether implements Together {
  constructor(private readonly members: readonly ExchangeDecider[]) {}

  async assign(ownFirst: boolean): Promise<readonly number[]> {
    const [first] = this.members;
    const columns = this.members.map((member) => member.columns);
    for (const each of columns) each.changed();
    const { rows, k, log } = first.columns;
    return log.pass(rows * columns.length, async () => {
      const own = ownFirst ? new Uint16Array(rows * columns.length) : undefined;
      if (own) for (const [at, { local }] of columns.entries()) own.set(await local.labels(), at * rows);
      const reach = first.columns.scoreReach("people", 1);
      const chosen = await first.comparing.columns(rows * columns.length, k, scoresOf(columns), own, reach);
      const moved: number[] = [];
      for (const [at, { local }] of columns.entries()) {
        moved.push(await local.adopt({ from: 0, to: rows }, chosen.subarray(at * rows, (at + 1) * rows)));
      }
      return moved;
    });
  }

  async approach(rows: readonly number[], first: boolean): Promise<void> {
    const { members } = this;
    const [{ columns, comparing }] = members;
    await columns.log.result(async () => {
      const distances: Float64Array[] = [];
      for (const [at, { columns: own }] of members.entries()) distances.push(await own.local.distances(rows[at]));
      if (first) {
        members.forEach((member, at) => {
          member.nearest = new NearestChosen(comparing, columns.opening!.grid, distances[at]);
        });
        return 0;
      }
      const before = members.map(({ nearest }) => nearest!.parts);
      const { reach } = members[0].nearest!;
      const nearer = await comparing.pairs(joined(before), joined(distances), reach(0));
      before.forEach((parts, at) => {
        for (let person = 0; person < parts.length; person++) {
          if (nearer[at * parts.length + person] === 1) parts[person] = distances[at][person];
        }
      });
      return 0;
    });
  }

  async drawByDistance(seeds: readonly number[]): Promise<readonly (number | undefined)[]> {
    const { members } = this;
    const [{ columns, comparing }] = members;
    const drawn = await columns.log.result(async () => {
      const drawings = members.map(({ nearest }, at) => {
        return { drawing: drawByDistance(columns.rows, seeds[at], columns.weights), nearest: nearest! };
      });
      return (await drawTogether(drawings, comparing)).map((winner) => winner ?? -1);
    });
    return drawn.map((winner) => (winner < 0 ? undefined : winner));
  }

  measure(): Promise<void> {
    const [{ columns }, ...others] = this.members;
    return columns.measureWith(others.map((member) => member.columns));
  }
}

/** This party's parts of the scores of several clusterings, one after the other. */
function scoresOf(clusterings: readonly JointColumns[]): Parts {
  const [{ rows, k }] = clusterings;
  return async (from, to) => {
    const parts: Float64Array[] = [];
    for (let at = Math.floor(from / rows); at * rows < to; at++) {
      const range = { from: Math.max(0, from - at * rows), to: Math.min(rows, to - at * rows) };
      parts.push(await clusterings[at].local.scores(range));
    }
    return parts.length === 1 ? parts[0] : joined(parts, (to - from) * k);
  };
}

function joined(parts: readonly Float64Array[], length = parts.length * parts[0].length): Float64Array {
  const all = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Draws that hand over contests of the same widths: those of all of them are compared in one round. */
async function drawTogether<T>(
  drawings: readonly { readonly drawing: ContestDraw<T>; readonly nearest: NearestChosen }[],
  comparing: Comparing,
): Promise<T[]> {
  let steps = drawings.map(({ drawing }) => drawing.next());
  for (;;) {
    const contests = steps.flatMap((step) => (step.done ? [] : [step.value]));
    if (contests.length === 0) return steps.map((step) => step.value as T);
    const worth = joined(contests.map((each, at) => drawings[at].nearest.worth(each)));
    const [{ rows, width }] = contests;
    const { reach } = drawings[0].nearest;
    const won = await comparing.columns(worth.length / width, width, known(worth, width), undefined, reach(10));
    const each = rows.length / width;
    steps = drawings.map(({ drawing }, at) => drawing.next(Uint8Array.from(won.subarray(at * each, (at + 1) * each))));
  }
}

/** k-means++ without disclosing a distance: which of two distances is less, and who wins a contest, are comparisons. */
class NearestChosen {
  constructor(
    private readonly comparing: Comparing,
    private readonly grid: Grid,
    /** This party's part of everybody's distance to the nearest chosen person. */
    readonly parts: Float64Array,
  ) {}

  /** Who is nearer to somebody, with these distances to everybody, than to the nearest chosen person. */
  async nearerTo(distances: Float64Array): Promise<Uint32Array> {
    const nearer = await this.comparing.pairs(this.parts, distances, this.reach(0));
    return Uint32Array.from(nearer.keys()).filter((person) => nearer[person] === 1);
  }

  /** This party's part of what everybody in these contests is worth. */
  worth({ rows, factors }: Contests): Float64Array {
    return factors.map((factor, at) => (rows[at] === noRow ? 0 : -factor * this.parts[rows[at]]));
  }

  readonly reach = (bits: number): ScoreRange => distanceReach(this.grid, bits, "people");
}

/** Squared distances are not weighted yet; `bits` are those of the factors that they are multiplied with. */
function distanceReach({ reach, weightBits }: Grid, bits: number, what: string): ScoreRange {
  return { range: 2 ** (reach - weightBits - 1 + bits), what };
}
