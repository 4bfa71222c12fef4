// Mixtures of Gaussians over the rows of one lane. A log density is linear in what the caller asks for of a person:
//   log (w_c N(x; m_c, S_c)) = theta_c . z(x),   z(x) = (1, x_1 .. x_d, x_i x_j for i <= j)
// and the sufficient statistics of EM are the sums of responsibility times z. So one kernel makes logits and sums; with the
// first 1 + d terms only, and theta_c = (-|c|^2/2, c), the largest logit is the nearest centre.
//
// Every summand is rounded to a multiple of a power of two that the caller has chosen so that sums are exact: they do not
// depend on the order of the rows, hence neither on lanes nor on how the rows are split over parties.
import { sumProducts } from "./products";
import { Shard } from "./shard";

@unmanaged
class Mixture {
  components: i32;
  /** of z that the logits use: 1 + d, or all */
  terms: i32;
  /** f64 [components][terms] */
  theta: usize;
  /** f64 [components][all terms], then the log likelihood */
  sums: usize;
  /** f64 [all terms + components][16], then f64 [all terms] */
  scratch: usize;
  /** 1: everybody counts for the best component alone */
  hard: i32;
  /** 1.5 * 2^52 quanta: adding and subtracting it rounds; one for statistics, one for the log likelihood */
  rounder: f64;
  likelihoodRounder: f64;
}

/** Below e^-30 of the largest, a component is no part of a person's mixture. */
const NEGLIGIBLE: f64 = -30;
const LARGEST_LIKELIHOOD: f64 = 2000;

/** z of 16 people, f64 [terms][16]; returns where the logits go. */
function expand(shard: Shard, job: Mixture, tile: i32): usize {
  const dims = shard.dims;
  const source = shard.x + (((tile * dims) as usize) << 6);
  const z = job.scratch;
  for (let q: usize = 0; q < 128; q += 16) v128.store(z + q, f64x2.splat(1));
  for (let j = 0; j < dims; j++) {
    const from = source + ((j as usize) << 6);
    const to = z + (((j + 1) as usize) << 7);
    for (let q: usize = 0; q < 8; q++) {
      v128.store(to + (q << 4), f64x2.promote_low_f32x4(v128.load64_zero(from + (q << 3))));
    }
  }
  if (job.terms > dims + 1) {
    let to = z + (((dims + 1) as usize) << 7);
    for (let i = 1; i <= dims; i++) {
      const a = z + ((i as usize) << 7);
      for (let j = i; j <= dims; j++) {
        const b = z + ((j as usize) << 7);
        for (let q: usize = 0; q < 128; q += 16) {
          v128.store(to + q, f64x2.mul(v128.load(a + q), v128.load(b + q)));
        }
        to += 128;
      }
    }
  }
  return z + ((allTerms(dims) as usize) << 7);
}

// @ts-ignore: decorator
@inline
function allTerms(dims: i32): i32 {
  return 1 + dims + (dims * (dims + 1)) / 2;
}

/** Logits of a tile, f64 [components][16]. */
function logits(shard: Shard, job: Mixture, tile: i32): usize {
  const out = expand(shard, job, tile);
  const terms = job.terms;
  for (let c = 0; c < job.components; c++) {
    const theta = job.theta + (((c * terms) as usize) << 3);
    sumProducts(0, theta, theta + ((terms as usize) << 3), job.scratch, out + ((c as usize) << 7));
  }
  return out;
}

/** The component with the largest logit, the lowest among equals. `at` points at the person's logit of component 0. */
// @ts-ignore: decorator
@inline
function bestOf(at: usize, components: i32): i32 {
  let best = 0;
  let most = load<f64>(at);
  for (let c = 1; c < components; c++) {
    const value = load<f64>(at + ((c as usize) << 7));
    if (value > most) {
      most = value;
      best = c;
    }
  }
  return best;
}

/** Adds weight times z, rounded, to a component's sums. */
// @ts-ignore: decorator
@inline
function add(sums: usize, z: usize, terms: i32, weight: f64, rounder: f64): void {
  const w = f64x2.splat(weight);
  const r = f64x2.splat(rounder);
  const pairs = (terms >> 1) as usize;
  for (let p: usize = 0; p < pairs; p++) {
    const at = p << 4;
    const rounded = f64x2.sub(f64x2.add(f64x2.mul(w, v128.load(z + at)), r), r);
    v128.store(sums + at, f64x2.add(v128.load(sums + at), rounded));
  }
  if (terms & 1) {
    const at = ((terms - 1) as usize) << 3;
    const rounded = weight * load<f64>(z + at) + rounder - rounder;
    store<f64>(sums + at, load<f64>(sums + at) + rounded);
  }
}

/** One pass of EM over all local rows: the sums of responsibility times z, and the log likelihood. */
export function mixtureSums(at: usize, mixture: usize): void {
  const shard = changetype<Shard>(at);
  const job = changetype<Mixture>(mixture);
  const dims = shard.dims;
  const components = job.components;
  const all = allTerms(dims);
  const width = (all as usize) << 3;
  const row = job.scratch + (((all + components) as usize) << 7);
  memory.fill(job.sums, 0, (components as usize) * width + 8);
  const tiles = (shard.rows + 15) / 16;
  let likelihood: f64 = 0;
  for (let tile = 0; tile < tiles; tile++) {
    const out = logits(shard, job, tile);
    const people = min(16, shard.rows - tile * 16);
    for (let i = 0; i < people; i++) {
      const mine = out + ((i as usize) << 3);
      // The person's z, side by side.
      const x = job.scratch + ((i as usize) << 3);
      store<f64>(row, 1);
      for (let j = 1; j <= dims; j++) store<f64>(row + ((j as usize) << 3), load<f64>(x + ((j as usize) << 7)));
      let to = row + (((dims + 1) as usize) << 3);
      for (let a = 1; a <= dims; a++) {
        const left = load<f64>(row + ((a as usize) << 3));
        for (let b = a; b <= dims; b++) {
          store<f64>(to, left * load<f64>(row + ((b as usize) << 3)));
          to += 8;
        }
      }
      const best = bestOf(mine, components);
      const most = load<f64>(mine + ((best as usize) << 7));
      if (job.hard) {
        add(job.sums + (best as usize) * width, row, all, 1, job.rounder);
        continue;
      }
      let total: f64 = 0;
      for (let c = 0; c < components; c++) {
        const place = mine + ((c as usize) << 7);
        const gap = load<f64>(place) - most;
        const part = gap < NEGLIGIBLE ? 0 : Math.exp(gap);
        store<f64>(place, part);
        total += part;
      }
      for (let c = 0; c < components; c++) {
        const part = load<f64>(mine + ((c as usize) << 7));
        if (part > 0) add(job.sums + (c as usize) * width, row, all, part / total, job.rounder);
      }
      const log = max(-LARGEST_LIKELIHOOD, min(LARGEST_LIKELIHOOD, most + Math.log(total)));
      likelihood += log + job.likelihoodRounder - job.likelihoodRounder;
    }
  }
  store<f64>(job.sums + (components as usize) * width, likelihood);
}

/** Everybody's best component into the labels. */
export function mixtureLabels(at: usize, mixture: usize): void {
  const shard = changetype<Shard>(at);
  const job = changetype<Mixture>(mixture);
  const tiles = (shard.rows + 15) / 16;
  for (let tile = 0; tile < tiles; tile++) {
    const out = logits(shard, job, tile);
    const people = min(16, shard.rows - tile * 16);
    for (let i = 0; i < people; i++) {
      const best = bestOf(out + ((i as usize) << 3), job.components);
      store<u16>(shard.label + (((tile * 16 + i) as usize) << 1), best as u16);
    }
  }
}
