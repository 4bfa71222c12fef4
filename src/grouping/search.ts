import { cancelled } from "../errors.js";
import { Random } from "../table/generators/random.js";
import { turn } from "../turns.js";
import type { Board } from "./board.js";
import type { TeamOptions } from "./types.js";

/** Up to so many atoms everybody is compared with everybody, and beyond with so many others drawn by chance. */
const fewAtoms = 3000;
const partners = 100;
/** Exchanges that are tried in all: what a run costs. The second is for each person, where they are many. */
const mostTried = { all: 10_000_000, each: 400 };
/** Rounds of perturbation that bring nothing before the search ends. */
const mostIdle = 200;
/** Exchanges by chance in one perturbation. */
const shakes = 3;
/** Work between two turns for others, such as Ctrl-C. */
const stretch = 500_000;

export interface SearchOutcome {
  readonly exchanges: number;
  readonly tried: number;
  readonly converged: boolean;
}

/** Exchanges people while that makes teams more alike and breaks no promise, then shakes a few teams and tries again. */
export class TeamSearch {
  private readonly random: Random;
  private readonly budget: number;
  private readonly waiting: Int32Array;
  private readonly isWaiting: Uint8Array;
  private head = 0;
  private length = 0;
  private tried = 0;
  private paused = 0;
  private exchanges = 0;
  private value: number;
  /** Where atoms were before the exchanges since the last good point. */
  private readonly trail: { atom: number; team: number }[] = [];

  constructor(
    private readonly board: Board,
    private readonly options: Pick<TeamOptions, "seed" | "signal" | "onProgress">,
    /** The objective of random teams, for progress. */
    private readonly usual: number,
  ) {
    this.random = new Random(options.seed ?? 1, 1);
    const { count } = board;
    this.budget = Math.max(mostTried.all, mostTried.each * count);
    this.waiting = new Int32Array(count);
    this.isWaiting = new Uint8Array(count);
    this.value = board.objective();
  }

  async run(): Promise<SearchOutcome> {
    const { board } = this;
    for (let a = 0; a < board.count; a++) this.wait(a);
    let converged = await this.descend();
    let idle = 0;
    while (converged && board.k > 1 && idle < mostIdle && this.tried < this.budget) {
      const before = this.value;
      this.trail.length = 0;
      this.shake();
      converged = await this.descend();
      if (this.value < before - 1e-12 * this.usual) {
        idle = 0;
        continue;
      }
      // Back to where it was, the last step first.
      const touched = new Set<number>();
      for (const { atom, team } of this.trail.reverse()) {
        touched.add(board.team[atom]).add(team);
        board.move([atom], team);
      }
      board.recount(touched);
      this.value = before;
      converged = true;
      idle++;
    }
    return { exchanges: this.exchanges, tried: this.tried, converged };
  }

  /** Everybody who waits is compared with others until nobody waits; false where the work that is allowed ended first. */
  private async descend(): Promise<boolean> {
    while (this.length > 0) {
      if (this.tried >= this.budget) {
        this.stopWaiting();
        return false;
      }
      if (this.tried - this.paused > stretch) {
        this.paused = this.tried;
        await turn();
        if (this.options.signal?.aborted) throw cancelled();
        this.options.onProgress?.({
          phase: "exchanges",
          done: Math.min(1, this.tried / this.budget),
          value: this.usual > 0 ? this.value / this.usual : 0,
        });
      }
      const a = this.waiting[this.head];
      this.head = (this.head + 1) % this.waiting.length;
      this.length--;
      this.isWaiting[a] = 0;
      this.improve(a);
    }
    return true;
  }

  /** The best exchange of this atom among those that are looked at. */
  private improve(a: number): void {
    const { board, random } = this;
    const { count, team, atomSizes } = board;
    const s = team[a];
    const least = -1e-12 * Math.max(1e-9, this.usual);
    const drawn = count > fewAtoms;
    const all = drawn ? partners : count;
    /** Better ones that turn out to break a promise give way to the next. */
    const found: { gain: number; leaving: number[]; t: number; coming: number[] }[] = [];
    let best = least;
    // Atoms are numbered by chance, so that those who follow each other are as good as any, and near in memory.
    let b = drawn ? random.below(count) : 0;
    for (let at = 0; at < all; at++, b++) {
      if (b === count) b = 0;
      const t = team[b];
      if (t === s) continue;
      if (atomSizes[a] === atomSizes[b]) {
        const gain = board.gain(a, b);
        if (gain < best) {
          best = gain;
          found.push({ gain, leaving: [a], t, coming: [b] });
        }
      } else if (atomSizes[a] > atomSizes[b]) {
        const coming = this.bundle(atomSizes[a], b);
        const gain = board.gainOf(s, [a], t, coming);
        if (gain < best) {
          best = gain;
          found.push({ gain, leaving: [a], t, coming });
        }
      }
    }
    this.tried += all;
    // Where sizes leave room somebody may just go.
    if (board.fits(s, -atomSizes[a])) {
      const teams = Math.min(board.k, partners);
      for (let at = 0; at < teams; at++) {
        const t = board.k > partners ? random.below(board.k) : at;
        if (t === s || !board.fits(t, atomSizes[a])) continue;
        const gain = board.gainOf(s, [a], t, []);
        if (gain < best) {
          best = gain;
          found.push({ gain, leaving: [a], t, coming: [] });
        }
      }
      this.tried += teams;
    }
    for (let at = found.length - 1; at >= 0; at--) {
      const { gain, leaving, t, coming } = found[at];
      if (!board.exchange(s, leaving, t, coming)) continue;
      this.made(s, leaving, t, coming, gain);
      return;
    }
  }

  /** Further atoms of the same team, by chance, until they are as many people as the atom that would come for them. */
  private bundle(size: number, first: number): number[] {
    const { board, random } = this;
    const mates = board.members[board.team[first]];
    const chosen = [first];
    let people = board.atomSizes[first];
    const at = random.below(mates.length);
    for (let tries = 0; people < size && tries < mates.length; tries++) {
      const mate = mates[(at + tries) % mates.length];
      if (mate === first || people + board.atomSizes[mate] > size) continue;
      chosen.push(mate);
      people += board.atomSizes[mate];
    }
    return chosen;
  }

  private made(s: number, leaving: readonly number[], t: number, coming: readonly number[], gain: number): void {
    this.value += gain;
    this.exchanges++;
    for (const atom of leaving) this.trail.push({ atom, team: s });
    for (const atom of coming) this.trail.push({ atom, team: t });
    for (const atom of this.board.members[s]) this.wait(atom);
    for (const atom of this.board.members[t]) this.wait(atom);
  }

  /** A few exchanges by chance that break no promise. */
  private shake(): void {
    const { board, random } = this;
    for (let step = 0, tries = 0; step < shakes && tries < 50 * shakes; tries++) {
      const [a, b] = [random.below(board.count), random.below(board.count)];
      const [s, t] = [board.team[a], board.team[b]];
      if (s === t || board.atomSizes[a] !== board.atomSizes[b]) continue;
      const gain = board.gain(a, b);
      if (!board.exchange(s, [a], t, [b])) continue;
      this.made(s, [a], t, [b], gain);
      step++;
    }
  }

  private wait(atom: number): void {
    if (this.isWaiting[atom] === 1) return;
    this.isWaiting[atom] = 1;
    this.waiting[(this.head + this.length++) % this.waiting.length] = atom;
  }

  private stopWaiting(): void {
    this.isWaiting.fill(0);
    this.length = 0;
  }
}
