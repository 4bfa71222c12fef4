import { sizesIn } from "../constraints/bounds.js";
import { cancelled } from "../errors.js";
import { Random } from "../table/generators/random.js";
import type { Attribute } from "../table/types.js";
import { turn } from "../turns.js";
import type { Board } from "./board.js";
import type { Mixed } from "./mixed.js";
import { checkSizes, decideTeams } from "./programs.js";
import type { TeamRequest } from "./request.js";
import type { TeamOptions } from "./types.js";

/** Exchanges that are tried while promises are not kept: for all, and for each person. */
const mostTried = { all: 300_000, each: 60 };
/** Exchanges that bring nothing are made with this chance, so that a search does not end at the first wall. */
const sideways = 0.05;
const stretch = 20_000;

/**
 * Teams that keep every promise. People are dealt out by their groups; exchanges repair what is beyond; and where that does not get there, integer
 * programs decide. Throws "infeasible" with the nearest request that can be met. False where the work that is allowed did not suffice.
 */
export async function startTeams(
  board: Board,
  request: TeamRequest,
  attributes: readonly Attribute[],
  mixed: Mixed,
  options: Pick<TeamOptions, "seed" | "signal" | "onProgress">,
): Promise<boolean> {
  await checkSizes(request);
  deal(board, request, dealingOrder(request, attributes, mixed));
  board.recount();
  if (board.totalExcess() === 0 || (await repair(board, options))) return true;
  const atoms = await decideTeams(request, attributes, board.team, options.signal);
  if (!atoms) return false;
  atoms.forEach((t, a) => {
    if (board.team[a] !== t) board.move([a], t);
  });
  board.recount();
  return board.totalExcess() === 0 || repair(board, options);
}

/** Large atoms first, since they have the least choice; then people of the same groups after each other, by their first number. */
function dealingOrder({ atoms }: TeamRequest, attributes: readonly Attribute[], { dims, rows }: Mixed): Uint32Array {
  const { count, starts, people } = atoms;
  const size = (a: number) => starts[a + 1] - starts[a];
  return Uint32Array.from({ length: count }, (_, a) => a).sort((a, b) => {
    if (size(a) !== size(b)) return size(b) - size(a);
    const [i, j] = [people[starts[a]], people[starts[b]]];
    for (const { codes } of attributes) if (codes[i] !== codes[j]) return codes[i] - codes[j];
    return rows[i * dims] - rows[j * dims] || a - b;
  });
}

/** Rounds over the teams that have room: to and fro where only means matter, and always in the same order where groups do. */
function deal(board: Board, request: TeamRequest, order: Uint32Array): void {
  const targets = targetSizes(request);
  const room = (t: number) => targets[t] - board.sizes[t];
  const straight = request.bounds.length > 0;
  let open = Array.from(targets.keys()).filter((t) => room(t) > 0);
  let at = 0;
  for (const a of order) {
    const size = board.atomSizes[a];
    let tries = 0;
    while (tries <= open.length && (at >= open.length || room(open[at]) < size)) {
      if (at < open.length) {
        at++;
        tries++;
        continue;
      }
      open = open.filter((t) => room(t) > 0);
      if (!straight) open.reverse();
      at = 0;
      if (open.length === 0) break;
    }
    const fits = at < open.length && room(open[at]) >= size;
    // Who fits nowhere goes where most room is; repairs follow.
    const t = fits ? open[at++] : mostRoom(targets, room);
    board.move([a], t);
  }
}

function mostRoom(targets: Int32Array, room: (t: number) => number): number {
  let best = 0;
  for (let t = 1; t < targets.length; t++) if (room(t) > room(best)) best = t;
  return best;
}

/** Sizes that add up to everybody: the least of each team, and the rest in proportion to what they have room for. */
function targetSizes({ n, k, sizes }: TeamRequest): Int32Array {
  const least = Int32Array.from({ length: k }, (_, t) => sizesIn(sizes, t).min);
  const rooms = least.map((min, t) => Math.max(0, Math.min(n, sizesIn(sizes, t).max) - min));
  const all = rooms.reduce((sum, room) => sum + room, 0);
  const rest = n - least.reduce((sum, min) => sum + min, 0);
  let seen = 0;
  let given = 0;
  return least.map((min, t) => {
    seen += rooms[t];
    const until = all > 0 ? Math.round((rest * seen) / all) : 0;
    const share = until - given;
    given = until;
    return min + share;
  });
}

/** Exchanges by chance that leave fewer people beyond the promises. */
async function repair(
  board: Board,
  { seed = 1, signal, onProgress }: Pick<TeamOptions, "seed" | "signal" | "onProgress">,
): Promise<boolean> {
  const random = new Random(seed, 2);
  const most = mostTried.all + mostTried.each * board.count;
  let wrong: number[] = [];
  for (let tried = 0; tried < most; tried++) {
    if (tried % stretch === 0) {
      wrong = Array.from(board.excess.keys()).filter((t) => board.excess[t] > 0);
      if (wrong.length === 0) return true;
      await turn();
      if (signal?.aborted) throw cancelled();
      onProgress?.({ phase: "promises", done: tried / most, value: board.totalExcess() });
    }
    const at = random.below(wrong.length);
    const s = wrong[at];
    if (board.excess[s] === 0) {
      wrong[at] = wrong[wrong.length - 1];
      wrong.pop();
      // Sideways steps may have left others beyond: the next count finds them.
      if (wrong.length === 0) tried += stretch - 1 - (tried % stretch);
      continue;
    }
    const partner = random.below(board.count);
    const t = board.team[partner];
    if (t === s) continue;
    const here = board.members[s];
    const kind = random.below(4);
    const leaving = kind === 0 || here.length === 0 ? [] : [here[random.below(here.length)]];
    const coming = kind === 1 ? [] : [partner];
    // Atoms of different sizes are exchanged with company.
    if (board.uneven && kind > 1) evenUp(board, random, leaving, s, coming, t);
    board.exchange(s, leaving, t, coming, random.uniform() < sideways ? 0 : -1e-6);
  }
  board.recount();
  return board.totalExcess() === 0;
}

function evenUp(board: Board, random: Random, leaving: number[], s: number, coming: number[], t: number): void {
  const people = (atoms: readonly number[]) => atoms.reduce((sum, a) => sum + board.atomSizes[a], 0);
  for (let step = 0; step < 4; step++) {
    const difference = people(coming) - people(leaving);
    if (difference === 0) return;
    const [from, list] = difference > 0 ? [s, leaving] : [t, coming];
    const mates = board.members[from];
    const mate = mates[random.below(mates.length)];
    if (mate !== undefined && !list.includes(mate)) list.push(mate);
  }
}
