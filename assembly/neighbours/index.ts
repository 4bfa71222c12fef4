// Nearest neighbours among rows that lie in lists, by one or several threads that share one memory. A row's score for a query q is
// term + factor (q . row), where term is |row|^2, for centres plus a price: the squared distance less |q|^2, which is the same for all rows.

import { Nearest } from "./nearest";
import { dotBytes, dots } from "./products";

/** src/neighbours/job.ts writes these fields and must list them in the same order. */
@unmanaged
class Job {
  /** f32 [count][stride] */
  queries: usize;
  /** Numbers of a row: a multiple of 4, of 16 where rows are bytes. */
  stride: i32;
  /** f32 [rows][stride], or i8 */
  rows: usize;
  bytes: i32;
  /** f32 [rows] */
  terms: usize;
  /** u32 [rows]: which vector a row is; 0 where that is the row itself. */
  ids: usize;
  /** How many are wanted for each query, and where they are written: u32 and f32 [count][k]. */
  k: i32;
  found: usize;
  scores: usize;
  /** u32 [lists + 1]: the first row of each list. */
  starts: usize;
  /** For each query the lists to look into, in this order, and how far it is from the border of each: u32 and f32 [count][probes]. */
  probes: i32;
  order: usize;
  reach: usize;
  /** Lists whose border is beyond this many times the distance of the k-th neighbour found are left out. */
  prune: f32;
  /** No further list is begun once this many rows were looked at. */
  most: i32;
  /** u32 [count]: how many rows were looked at. */
  scanned: usize;
  /** The centres of the lists: f32 [lists][stride], their squares, and squares plus prices. */
  centres: usize;
  squares: usize;
  priced: usize;
  lists: i32;
  /** Where rows are bytes: i16 [count][stride] and the factor of each product, f32 [count]. */
  codes: usize;
  factors: usize;
  /** For each thread: scores of a block of rows, the rows found so far, and two numbers for each list. */
  scratch: usize;
  scratchBytes: i32;
}

/** Rows that are scored at a time. */
const BLOCK: i32 = 64;

/** Where a thread's parts of its scratch begin. Threads share the memory, so nothing may be kept anywhere else. */
const FOUND: usize = BLOCK * 4;
const LISTS: usize = FOUND + 32;

// @ts-ignore: decorator
@inline
function scratchOf(job: Job, thread: i32): usize {
  return job.scratch + <usize>thread * <usize>job.scratchBytes;
}

// @ts-ignore: decorator
@inline
function at<T>(array: usize, index: i32): T {
  return load<T>(array + <usize>index * 4);
}

/** Queries [from, to): a thread takes every `threads`-th of them, so that all have as much to do. */
export function search(address: usize, from: i32, to: i32, thread: i32, threads: i32): void {
  const job = changetype<Job>(address);
  const scratch = scratchOf(job, thread);
  const nearest = changetype<Nearest>(scratch + FOUND);
  for (let q = from + thread; q < to; q += threads) {
    nearest.begin(job.found + <usize>(q * job.k) * 4, job.scores + <usize>(q * job.k) * 4, job.k);
    const square = squareOf(job, q);
    let scanned: i32 = 0;
    for (let p = 0; p < job.probes; p++) {
      const entry = <usize>(q * job.probes + p) * 4;
      const list = load<u32>(job.order + entry);
      if (list == u32.MAX_VALUE) break;
      if (p > 0) {
        if (scanned >= job.most) break;
        const far = load<f32>(job.reach + entry) / job.prune;
        // Beyond the border of the list at least `far`: squared it is compared with the squared distance of the k-th.
        if (far > 0 && far * far > nearest.worst + square) break;
      }
      const first = at<u32>(job.starts, list);
      const end = load<u32>(job.starts + <usize>(list + 1) * 4);
      look(job, q, first, end, nearest, scratch);
      scanned += end - first;
    }
    nearest.finish();
    store<u32>(job.scanned + <usize>q * 4, scanned);
  }
}

/**
 * For each query the lists nearest to it by priced distance, and the distance to the border between the first of them and each other:
 * (s_m - s_1) / (2 |c_m - c_1|), since a row belongs to list m where its priced distance is least there.
 */
export function route(address: usize, from: i32, to: i32, thread: i32, threads: i32): void {
  const job = changetype<Job>(address);
  const lists = job.lists;
  const scratch = scratchOf(job, thread);
  const nearest = changetype<Nearest>(scratch + FOUND);
  const scores = scratch + LISTS;
  const reach = scores + <usize>lists * 4;
  for (let q = from + thread; q < to; q += threads) {
    const query = job.queries + <usize>(q * job.stride) * 4;
    dots(query, job.centres, job.stride, lists, scores);
    let best: i32 = 0;
    let least: f32 = f32.MAX_VALUE;
    for (let m = 0; m < lists; m++) {
      const score: f32 = at<f32>(job.priced, m) - 2 * at<f32>(scores, m);
      store<f32>(scores + <usize>m * 4, score);
      if (score < least) {
        least = score;
        best = m;
      }
    }
    const centre = job.centres + <usize>(best * job.stride) * 4;
    dots(centre, job.centres, job.stride, lists, reach);
    const own = at<f32>(job.squares, best);
    for (let m = 0; m < lists; m++) {
      const entry = <usize>m * 4;
      const apart = own + load<f32>(job.squares + entry) - 2 * load<f32>(reach + entry);
      const beyond = load<f32>(scores + entry) - least;
      store<f32>(reach + entry, apart > 0 ? beyond / (2 * sqrt<f32>(apart)) : beyond > 0 ? f32.MAX_VALUE : 0);
    }
    // The list that the query belongs to comes first, whatever others lie on its border.
    store<f32>(reach + <usize>best * 4, -1);
    nearest.begin(job.order + <usize>(q * job.probes) * 4, job.reach + <usize>(q * job.probes) * 4, job.probes);
    for (let m = 0; m < lists; m++) {
      const far = at<f32>(reach, m);
      if (far < nearest.worst) nearest.take(far, m, false);
    }
    nearest.finish();
  }
}

/** The k rows of least score among those of the lists in `order`, all of them looked into. */
export function nearest(address: usize, from: i32, to: i32, thread: i32, threads: i32): void {
  const job = changetype<Job>(address);
  const scratch = scratchOf(job, thread);
  const nearest = changetype<Nearest>(scratch + FOUND);
  for (let q = from + thread; q < to; q += threads) {
    nearest.begin(job.found + <usize>(q * job.k) * 4, job.scores + <usize>(q * job.k) * 4, job.k);
    for (let p = 0; p < job.probes; p++) {
      const list = job.order == 0 ? p : load<u32>(job.order + <usize>(q * job.probes + p) * 4);
      if (list == u32.MAX_VALUE) break;
      const starts = job.starts + <usize>list * 4;
      look(job, q, load<u32>(starts), load<u32>(starts, 4), nearest, scratch);
    }
    nearest.finish();
  }
}

/** Looks at the rows [first, end). */
function look(job: Job, q: i32, first: u32, end: u32, nearest: Nearest, block: usize): void {
  const stride = job.stride;
  const factor = job.bytes ? at<f32>(job.factors, q) : -2;
  const query = job.bytes ? job.codes + <usize>(q * stride) * 2 : job.queries + <usize>(q * stride) * 4;
  for (let row = first; row < end; row += BLOCK) {
    const count = min(BLOCK, <i32>(end - row));
    const terms = job.terms + <usize>row * 4;
    if (job.bytes) dotBytes(query, job.rows + <usize>row * <usize>stride, stride, count, block);
    else dots(query, job.rows + <usize>row * <usize>stride * 4, stride, count, block);
    for (let i = 0; i < count; i++) {
      const score: f32 = at<f32>(terms, i) + factor * at<f32>(block, i);
      if (score < nearest.worst) {
        nearest.take(score, job.ids == 0 ? row + i : load<u32>(job.ids + <usize>(row + i) * 4), job.ids != 0);
      }
    }
  }
}

function squareOf(job: Job, q: i32): f32 {
  const query = job.queries + <usize>(q * job.stride) * 4;
  let square: f32 = 0;
  for (let j = 0; j < job.stride; j++) {
    const value = at<f32>(query, j);
    square += value * value;
  }
  return square;
}
