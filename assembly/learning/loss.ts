// Cross-entropy of two logits with the fairness terms of all methods; see src/learning/methods for their equations.

/**
 * Kinds of fairness terms: weights that the coordinator sent; or, of each batch itself, FFALM's augmented Lagrangian (from the
 * reference group), or else FPFL's (from everybody).
 */
const GIVEN: i32 = 0;
const FROM_REFERENCE: i32 = 1;

@unmanaged
export class Loss {
  /** f32 [batch][2], and their gradients */
  logits: usize;
  gradients: usize;
  kind: i32;
  groups: i32;
  reference: i32;
  /** f64 [groups][2 labels]: factors of the cross-entropy and of the probability of a yes */
  entropyWeights: usize;
  rateWeights: usize;
  /** f64 [groups], and beta */
  lambda: usize;
  /** f64 [groups][3]: sum of losses, people, weight */
  scratch: usize;
}

// @ts-ignore: decorator
@inline
function entropy(z: f64, label: i32): f64 {
  const away = label == 1 ? -z : z;
  return away > 0 ? away + Math.log1p(Math.exp(-away)) : Math.log1p(Math.exp(away));
}

// @ts-ignore: decorator
@inline
function sigmoid(z: f64): f64 {
  return z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));
}

// @ts-ignore: decorator
@inline
function margin(loss: Loss, i: i32): f64 {
  const at = loss.logits + <usize>i * 8;
  return <f64>load<f32>(at, 4) - <f64>load<f32>(at);
}

/** The gradient of one batch's loss by its logits. */
export function lossGradient(loss: Loss, order: usize, labels: usize, groups: usize, people: i32): void {
  if (loss.kind != GIVEN) weighGroups(loss, order, labels, groups, people);
  for (let i = 0; i < people; i++) {
    const person = <usize>load<u32>(order + <usize>i * 4);
    const label = <i32>load<u8>(labels + person);
    const group = <usize>load<u8>(groups + person);
    const z = margin(loss, i);
    const yes = sigmoid(z);
    let g = yes - <f64>label;
    if (loss.kind == GIVEN) {
      const cell = (group * 2 + <usize>label) * 8;
      g = g * load<f64>(loss.entropyWeights + cell) + load<f64>(loss.rateWeights + cell) * yes * (1 - yes);
      g /= <f64>people;
    } else {
      g *= load<f64>(loss.scratch + group * 24, 16);
    }
    store<f32>(loss.gradients + <usize>i * 8, <f32>-g);
    store<f32>(loss.gradients + <usize>i * 8, <f32>g, 4);
  }
}

/** The weight of each group's people in this batch. */
function weighGroups(loss: Loss, order: usize, labels: usize, groups: usize, people: i32): void {
  const scratch = loss.scratch;
  memory.fill(scratch, 0, <usize>loss.groups * 24);
  let total: f64 = 0;
  for (let i = 0; i < people; i++) {
    const person = <usize>load<u32>(order + <usize>i * 4);
    const value = entropy(margin(loss, i), <i32>load<u8>(labels + person));
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
