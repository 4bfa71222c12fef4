// Nearest neighbours among rows that lie in lists, by one or several threads that share one memory. A row's score for a query q is
// term + factor (q . row), where term is |row|^2, for centres plus a price: the squared distance less |q|^2, which is the same for all rows.
// Where vectors lie far apart beside how near their neighbours are, |row|^2 and the product would cancel out: there it is the squared distance
// itself, summed by differences; terms and |q|^2 then are 0.

import { Nearest } from "./nearest";
import { dotBytes, dots, dotsOfFour, squaredDistances } from "./products";

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
  /** Whether squared distances of numbers are summed by differences. */
  differences: i32;
  /** f32 [rows] */
  terms: usize;
  /** u32 [rows]: which vector a row is; 0 where that is the row itself. */
  ids: usize;
  /** f32 [rows]: how far each row is from the centre of its list, the farthest of a list first. */
  radii: usize;
  /** How many are wanted for each query, and where they are written: u32 and f32 [count][k]. */
  k: i32;
  found: usize;
  scores: usize;
  /** u32 [lists + 1]: the first row of each list. */
  starts: usize;
  /**
   * For each query the lists to look into, in this order, how much farther each is than the first, and how far its centre is: u32, f32
   * and f32 [count][probes].
   */
  probes: i32;
  order: usize;
  reach: usize;
  away: usize;
  /** Lists that are farther than the first by more than this many times the distance of the k-th neighbour found are left out. */
  prune: f32;
  /** Rows of a list are left out that are nearer to its centre than the query is by more than this many times that distance. */
  depth: f32;
  /** No further list is begun once this many rows were looked at. */
  most: i32;
  /** u32 [count]: how many rows were looked at. */
  scanned: usize;
  /** Where not 0, the squared distance of the k-th row found once each list was looked at: f32 [count][probes]. */
  kth: usize;
  /** The centres of the lists: f32 [lists][stride], their prices, and their squares plus prices. */
  centres: usize;
  prices: usize;
  priced: usize;
  lists: i32;
  /** Where rows are bytes: i16 [count][stride] and the factor of each product, f32 [count]. */
  codes: usize;
  factors: usize;
  /** For each thread: scores of a block of rows for four queries, what queries found so far, and two numbers for each list. */
  scratch: usize;
  scratchBytes: i32;
}

/** Rows that are scored at a time. */
const BLOCK: i32 = 64;

/** Queries that look at all rows together, and the bytes of what one of them found so far. */
const TOGETHER: i32 = 32;
const EACH: usize = 32;

/** Where a thread's parts of its scratch begin. Threads share the memory, so nothing may be kept anywhere else. */
const FOUND: usize = 4 * BLOCK * 4;
const LISTS: usize = FOUND + <usize>TOGETHER * EACH;

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
  for (let q = from + thread; q < to; q += threads) {
    const nearest = begin(job, q, scratch + FOUND);
    const square: f32 = job.differences && !job.bytes ? 0 : squareOf(job, q);
    let scanned: i32 = 0;
    for (let p = 0; p < job.probes; p++) {
      const entry = <usize>(q * job.probes + p) * 4;
      const list = load<u32>(job.order + entry);
      if (list == u32.MAX_VALUE) break;
      if (p > 0) {
        if (scanned >= job.most) break;
        const far = load<f32>(job.reach + entry) / job.prune;
        if (far > 0 && far * far > nearest.worst + square) break;
      }
      const first = at<u32>(job.starts, list);
      const least: f32 = load<f32>(job.away + entry) - job.depth * sqrt<f32>(nearest.worst + square);
      const end = behind(job.radii, first, load<u32>(job.starts + <usize>(list + 1) * 4), least);
      look(job, q, first, end, nearest, scratch);
      scanned += end - first;
      if (job.kth != 0) store<f32>(job.kth + entry, nearest.worst + square);
    }
    nearest.finish();
    store<u32>(job.scanned + <usize>q * 4, scanned);
  }
}

/** The first of the rows [first, end) whose radius is below `least`. */
function behind(radii: usize, first: u32, end: u32, least: f32): u32 {
  while (first < end) {
    const middle = (first + end) >> 1;
    if (load<f32>(radii + <usize>middle * 4) < least) end = middle;
    else first = middle + 1;
  }
  return end;
}

/**
 * For each query the lists nearest to it by priced distance, how much farther each is than the first of them (the square root of the
 * difference of the two priced squared distances), and how far its centre is.
 */
export function route(address: usize, from: i32, to: i32, thread: i32, threads: i32): void {
  const job = changetype<Job>(address);
  const lists = job.lists;
  const scores = scratchOf(job, thread) + LISTS;
  const names = scores + <usize>lists * 4;
  const factor = factorOf(job);
  for (let q = from + thread; q < to; q += threads) {
    compare(job, job.queries + <usize>(q * job.stride) * 4, job.centres, lists, scores);
    for (let m = 0; m < lists; m++) {
      const entry = <usize>m * 4;
      store<f32>(scores + entry, at<f32>(job.priced, m) + factor * load<f32>(scores + entry));
      store<u32>(names + entry, m);
    }
    for (let m = (lists >> 1) - 1; m >= 0; m--) sift(scores, names, m, lists);
    const square: f32 = job.differences ? 0 : squareOf(job, q);
    const first = load<f32>(scores);
    for (let p = 0; p < job.probes; p++) {
      const entry = <usize>(q * job.probes + p) * 4;
      const score = load<f32>(scores);
      const list = load<u32>(names);
      store<u32>(job.order + entry, list);
      store<f32>(job.away + entry, sqrt<f32>(max<f32>(0, score - at<f32>(job.prices, list) + square)));
      store<f32>(job.reach + entry, sqrt<f32>(score - first));
      const left = lists - p - 1;
      store<f32>(scores, at<f32>(scores, left));
      store<u32>(names, at<u32>(names, left));
      sift(scores, names, 0, left);
    }
  }
}

/** Moves an entry of a heap down to its place: the least score is at its root, of equal ones the first list's. */
function sift(scores: usize, names: usize, root: i32, size: i32): void {
  const score = at<f32>(scores, root);
  const name = at<u32>(names, root);
  let place = root;
  for (let child = 2 * root + 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size && isBefore(scores, names, child + 1, at<f32>(scores, child), at<u32>(names, child))) child++;
    if (!isBefore(scores, names, child, score, name)) break;
    store<f32>(scores + <usize>place * 4, at<f32>(scores, child));
    store<u32>(names + <usize>place * 4, at<u32>(names, child));
    place = child;
  }
  store<f32>(scores + <usize>place * 4, score);
  store<u32>(names + <usize>place * 4, name);
}

// @ts-ignore: decorator
@inline
function isBefore(scores: usize, names: usize, entry: i32, score: f32, name: u32): bool {
  const own = at<f32>(scores, entry);
  return own < score || (own == score && at<u32>(names, entry) < name);
}

/** The k rows of least score: among those of the lists in `order`, all of them looked into, or without it among all rows. */
export function nearest(address: usize, from: i32, to: i32, thread: i32, threads: i32): void {
  const job = changetype<Job>(address);
  const scratch = scratchOf(job, thread);
  if (job.order == 0) {
    for (let q = from + thread * TOGETHER; q < to; q += threads * TOGETHER) {
      nearestOfAll(job, q, min(TOGETHER, to - q), scratch);
    }
    return;
  }
  for (let q = from + thread; q < to; q += threads) {
    const nearest = begin(job, q, scratch + FOUND);
    for (let p = 0; p < job.probes; p++) {
      const list = load<u32>(job.order + <usize>(q * job.probes + p) * 4);
      if (list == u32.MAX_VALUE) break;
      const starts = job.starts + <usize>list * 4;
      look(job, q, load<u32>(starts), load<u32>(starts, 4), nearest, scratch);
    }
    nearest.finish();
  }
}

/** The same of the queries [q, q + count) among all rows: a block of rows is read once for all of them, each row once for four. */
function nearestOfAll(job: Job, q: i32, count: i32, scratch: usize): void {
  const stride = job.stride;
  const size = <usize>stride * 4;
  const queries = job.queries + <usize>q * size;
  const fours = job.differences ? 0 : count & ~3;
  const factor = factorOf(job);
  for (let i = 0; i < count; i++) begin(job, q + i, foundBy(scratch, i));
  const end = load<u32>(job.starts + <usize>job.probes * 4);
  for (let row: u32 = 0; row < end; row += BLOCK) {
    const rows = job.rows + <usize>row * size;
    const among = min(BLOCK, <i32>(end - row));
    for (let i = 0; i < fours; i += 4) {
      dotsOfFour(queries + <usize>i * size, rows, stride, among, scratch, BLOCK);
      for (let j = 0; j < 4; j++) {
        take(job, factor, row, among, changetype<Nearest>(foundBy(scratch, i + j)), scratch + <usize>(j * BLOCK) * 4);
      }
    }
    for (let i = fours; i < count; i++) {
      compare(job, queries + <usize>i * size, rows, among, scratch);
      take(job, factor, row, among, changetype<Nearest>(foundBy(scratch, i)), scratch);
    }
  }
  for (let i = 0; i < count; i++) changetype<Nearest>(foundBy(scratch, i)).finish();
}

// @ts-ignore: decorator
@inline
function foundBy(scratch: usize, query: i32): usize {
  return scratch + FOUND + <usize>query * EACH;
}

/** Nothing is found yet by query q. */
function begin(job: Job, q: i32, at: usize): Nearest {
  const nearest = changetype<Nearest>(at);
  const entry = <usize>q * <usize>job.k * 4;
  nearest.begin(job.found + entry, job.scores + entry, job.k);
  return nearest;
}

/** Looks at the rows [first, end). */
function look(job: Job, q: i32, first: u32, end: u32, nearest: Nearest, block: usize): void {
  const stride = job.stride;
  const factor = job.bytes ? at<f32>(job.factors, q) : factorOf(job);
  const query = job.bytes ? job.codes + <usize>(q * stride) * 2 : job.queries + <usize>(q * stride) * 4;
  for (let row = first; row < end; row += BLOCK) {
    const count = min(BLOCK, <i32>(end - row));
    if (job.bytes) dotBytes(query, job.rows + <usize>row * <usize>stride, stride, count, block);
    else compare(job, query, job.rows + <usize>row * <usize>stride * 4, count, block);
    take(job, factor, row, count, nearest, block);
  }
}

/** What the scores of rows of numbers are made of: products with the query, or squared distances to it. */
// @ts-ignore: decorator
@inline
function compare(job: Job, query: usize, rows: usize, count: i32, out: usize): void {
  if (job.differences) squaredDistances(query, rows, job.stride, count, out);
  else dots(query, rows, job.stride, count, out);
}

// @ts-ignore: decorator
@inline
function factorOf(job: Job): f32 {
  return job.differences ? 1 : -2;
}

/** Takes those of the rows from `row` on that are nearer than what was found; `products` are theirs with the query. */
// @ts-ignore: decorator
@inline
function take(job: Job, factor: f32, row: u32, count: i32, nearest: Nearest, products: usize): void {
  const terms = job.terms + <usize>row * 4;
  for (let i = 0; i < count; i++) {
    const score: f32 = at<f32>(terms, i) + factor * at<f32>(products, i);
    if (score < nearest.worst) {
      nearest.take(score, job.ids == 0 ? row + i : load<u32>(job.ids + <usize>(row + i) * 4), job.ids != 0);
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
