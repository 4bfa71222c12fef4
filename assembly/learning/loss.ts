// Cross-entropy of one logit for each class, with the fairness terms of all methods; see src/learning/methods for their equations.

/**
 * Kinds of fairness terms: weights that the coordinator sent; or, of each batch itself, FFALM's augmented Lagrangian (from the
 * reference group), or else FPFL's (from everybody).
 */
const GIVEN: i32 = 0;
const FROM_REFERENCE: i32 = 1;

@unmanaged
export class Loss {
  /** f32 [batch][classes], and their gradients */
  logits: usize;
  gradients: usize;
  kind: i32;
  groups: i32;
  classes: i32;
  reference: i32;
  /** f64 [groups][labels]: factors of the cross-entropy */
  entropyWeights: usize;
  /** f64 [groups][labels][classes but the first]: factors of the probability of a class */
  rateWeights: usize;
  /** f64 [groups], and beta */
  lambda: usize;
  /** f64 [groups][3]: sum of losses, people, weight */
  scratch: usize;
  /** f64 [classes] */
  probabilities: usize;
}

// @ts-ignore: decorator
@inline
function logit(row: usize, k: i32): f64 {
  return <f64>load<f32>(row + <usize>k * 4);
}

/** The first class of those with the largest logit. */
function largest(row: usize, classes: i32): i32 {
  let m = 0;
  for (let k = 1; k < classes; k++) if (logit(row, k) > logit(row, m)) m = k;
  return m;
}

/** -log of the probability of the label. */
function entropy(row: usize, classes: i32, label: i32): f64 {
  const m = largest(row, classes);
  const top = logit(row, m);
  let others: f64 = 0;
  for (let k = 0; k < classes; k++) if (k != m) others += Math.exp(logit(row, k) - top);
  return top - logit(row, label) + Math.log1p(others);
}

/** The probability of each class. */
function softmax(row: usize, classes: i32, to: usize): void {
  const m = largest(row, classes);
  const top = logit(row, m);
  let others: f64 = 0;
  for (let k = 0; k < classes; k++) {
    if (k == m) continue;
    const e = Math.exp(logit(row, k) - top);
    store<f64>(to + <usize>k * 8, e);
    others += e;
  }
  store<f64>(to + <usize>m * 8, 1);
  for (let k = 0; k < classes; k++) {
    const at = to + <usize>k * 8;
    store<f64>(at, load<f64>(at) / (1 + others));
  }
}

/** The gradient of one batch's loss by its logits. */
export function lossGradient(loss: Loss, order: usize, labels: usize, groups: usize, people: i32): void {
  if (loss.kind != GIVEN) weighGroups(loss, order, labels, groups, people);
  const classes = loss.classes;
  const p = loss.probabilities;
  for (let i = 0; i < people; i++) {
    const person = <usize>load<u32>(order + <usize>i * 4);
    const label = <i32>load<u8>(labels + person);
    const group = <usize>load<u8>(groups + person);
    const row = <usize>i * <usize>classes * 4;
    const cell = group * <usize>classes + <usize>label;
    const rates = loss.rateWeights + cell * <usize>(classes - 1) * 8 - 8;
    softmax(loss.logits + row, classes, p);
    /** Of all classes, the factors times the probabilities. */
    let rate: f64 = 0;
    if (loss.kind == GIVEN) {
      for (let k = 1; k < classes; k++) rate += load<f64>(rates + <usize>k * 8) * load<f64>(p + <usize>k * 8);
    }
    // A softmax does not change when all logits do by the same: gradients add up to 0.
    let sum: f64 = 0;
    for (let k = 1; k < classes; k++) {
      const own = load<f64>(p + <usize>k * 8);
      let g = own - (k == label ? 1.0 : 0.0);
      if (loss.kind == GIVEN) {
        const share = load<f64>(rates + <usize>k * 8) * own;
        g = g * load<f64>(loss.entropyWeights + cell * 8) + (share * (1 - own) - (rate - share) * own);
        g /= <f64>people;
      } else {
        g *= load<f64>(loss.scratch + group * 24, 16);
      }
      store<f32>(loss.gradients + row + <usize>k * 4, <f32>g);
      sum += g;
    }
    store<f32>(loss.gradients + row, <f32>-sum);
  }
}

/** The weight of each group's people in this batch. */
function weighGroups(loss: Loss, order: usize, labels: usize, groups: usize, people: i32): void {
  const scratch = loss.scratch;
  memory.fill(scratch, 0, <usize>loss.groups * 24);
  let total: f64 = 0;
  for (let i = 0; i < people; i++) {
    const person = <usize>load<u32>(order + <usize>i * 4);
    const row = loss.logits + <usize>i * <usize>loss.classes * 4;
    const value = entropy(row, loss.classes, <i32>load<u8>(labels + person));
    const at = scratch + <usize>load<u8>(groups + person) * 24;
    store<f64>(at, load<f64>(at) + value);
    store<f64>(at, load<f64>(at, 8) + 1, 8);
    total += value;
  }
  const beta = load<f64>(loss.lambda + <usize>loss.groups * 8);
  const mean = total / <f64>people;
  const each = 1 / <f64>people;
  for (let s = 0; s < loss.groups; s++) store<f64>(scratch + <usize>s * 24, each, 16);
  for (let s = 0; s < loss.groups; s++) {
    const at = scratch + <usize>s * 24;
    const n = load<f64>(at, 8);
    const lambda = load<f64>(loss.lambda + <usize>s * 8);
    // A batch that lacks a group has no term for it.
    if (n == 0) continue;
    if (loss.kind == FROM_REFERENCE) {
      // (14): (lambda + beta Delta) Delta's gradient, Delta = mu_s - mu_reference.
      const other = scratch + <usize>loss.reference * 24;
      const n1 = load<f64>(other, 8);
      if (s == loss.reference || n1 == 0) continue;
      const c = lambda + beta * (load<f64>(at) / n - load<f64>(other) / n1);
      store<f64>(at, load<f64>(at, 16) + c / n, 16);
      store<f64>(other, load<f64>(other, 16) - c / n1, 16);
    } else {
      // (16) with d_s = |L - mu_s|.
      const gap = mean - load<f64>(at) / n;
      const q = gap == 0 ? 0 : (gap > 0 ? 1 : -1) * (lambda + beta * Math.abs(gap));
      for (let t = 0; t < loss.groups; t++) {
        const one = scratch + <usize>t * 24;
        store<f64>(one, load<f64>(one, 16) + q * each, 16);
      }
      store<f64>(at, load<f64>(at, 16) - q / n, 16);
    }
  }
}
