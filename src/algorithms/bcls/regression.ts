import { cholesky, solveFactored } from "../../constraints/cholesky.js";

/** The weight of the ridge, and the augmented Lagrangian's penalty: where it starts and by how much it grows. */
const ridge = 1;
const penalty = { start: 0.1, growth: 1.1 } as const;

/**
 * BCLS: minimise |X W + 1 b' - Y|^2 + ridge |W|^2 + lambda |1' Y|^2, where Y must equal one-hot rows Z, by an augmented
 * Lagrangian. The step of Y has a matrix of n x n, but that is a multiple of the identity plus 2 lambda 1 1', so its
 * inverse only shifts every column by one number: memory and time are linear in n.
 */
export class BalancedRegression {
  private readonly means: Float64Array;
  /** The factor of X'X of the centred columns plus the ridge, [d][d]: it is the same in every round. */
  private readonly factor: Float64Array;
  /** Y and the multipliers, [n][k]. */
  private readonly targets: Float64Array;
  private readonly multipliers: Float64Array;
  private mu: number = penalty.start;

  /** `labels` are the initial Z and, in place, the result. `lambda` is (1 - eta) / eta. */
  constructor(
    private readonly columns: readonly ArrayLike<number>[],
    private readonly k: number,
    readonly labels: Uint16Array,
    private readonly lambda: number,
  ) {
    const d = columns.length;
    const n = labels.length;
    this.means = Float64Array.from(columns, (column) => sumOf(column) / n);
    const gram = new Float64Array(d * d);
    for (let a = 0; a < d; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = a === b ? ridge : 0;
        for (let i = 0; i < n; i++) sum += (columns[a][i] - this.means[a]) * (columns[b][i] - this.means[b]);
        gram[a * d + b] = sum;
      }
    }
    this.factor = cholesky(gram, d, Number.MIN_VALUE)!;
    this.targets = new Float64Array(n * k);
    this.multipliers = new Float64Array(n * k);
    labels.forEach((label, i) => {
      this.targets[i * k + label] = 1;
    });
  }

  /** One round: W and b, Y, Z, the multipliers. Returns how many people changed their cluster. */
  step(): number {
    this.stepTargets(this.regress());
    const moved = this.stepLabels();
    this.mu *= penalty.growth;
    return moved;
  }

  /** W and b, [k][d + 1], the constant last. */
  private regress(): Float64Array {
    const { k, columns, means, targets } = this;
    const d = columns.length;
    const n = this.labels.length;
    const weights = new Float64Array(k * (d + 1));
    for (let m = 0; m < k; m++) {
      let constant = 0;
      for (let i = 0; i < n; i++) constant += targets[i * k + m];
      constant /= n;
      const right = Float64Array.from(columns, (column, j) => {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += (column[i] - means[j]) * targets[i * k + m];
        return sum;
      });
      const slopes = solveFactored(this.factor, right);
      weights.set(slopes, m * (d + 1));
      weights[m * (d + 1) + d] = slopes.reduce((sum, slope, j) => sum - slope * means[j], constant);
    }
    return weights;
  }

  /** ((2 + mu) I + 2 lambda 1 1') Y = 2 (X W + 1 b') + mu Z - multipliers. */
  private stepTargets(weights: Float64Array): void {
    const { k, columns, targets, multipliers, labels, lambda, mu } = this;
    const d = columns.length;
    const n = labels.length;
    const sums = new Float64Array(k);
    for (let i = 0; i < n; i++) {
      for (let m = 0; m < k; m++) {
        let value = weights[m * (d + 1) + d];
        for (let j = 0; j < d; j++) value += weights[m * (d + 1) + j] * columns[j][i];
        value = 2 * value - multipliers[i * k + m] + (labels[i] === m ? mu : 0);
        targets[i * k + m] = value;
        sums[m] += value;
      }
    }
    const factor = (2 * lambda) / (2 + mu + 2 * lambda * n);
    for (let i = 0; i < n; i++) {
      for (let m = 0; m < k; m++) targets[i * k + m] = (targets[i * k + m] - factor * sums[m]) / (2 + mu);
    }
  }

  /** Every row of Z is the largest of Y + multiplier / mu; then multiplier += mu (Y - Z). */
  private stepLabels(): number {
    const { k, targets, multipliers, labels, mu } = this;
    let moved = 0;
    for (let i = 0; i < labels.length; i++) {
      let best = labels[i];
      let most = targets[i * k + best] + multipliers[i * k + best] / mu;
      for (let m = 0; m < k; m++) {
        const value = targets[i * k + m] + multipliers[i * k + m] / mu;
        if (value > most) {
          most = value;
          best = m;
        }
      }
      if (best !== labels[i]) moved++;
      labels[i] = best;
      for (let m = 0; m < k; m++) multipliers[i * k + m] += mu * (targets[i * k + m] - (m === best ? 1 : 0));
    }
    return moved;
  }
}

function sumOf(column: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < column.length; i++) sum += column[i];
  return sum;
}
