import type { JointCells } from "../method.js";
import type { WeighedCells } from "./tight-clusters.js";

/** Inner products around the mean of all people, from distances alone: nobody needs to know where in a column a cell is. */
export function innerFrom({ sizes, spacing }: JointCells): WeighedCells["inner"] {
  const cells = sizes.length;
  const people = sizes.reduce((sum, size) => sum + size, 0);
  // |m_a - middle|^2 is the mean squared distance to all people's cells, less half the mean of these means.
  const reach = Float64Array.from(sizes, (_, a) => {
    let sum = 0;
    for (let b = 0; b < cells; b++) sum += sizes[b] * spacing[a * cells + b];
    return sum / people;
  });
  const half = reach.reduce((sum, value, a) => sum + sizes[a] * value, 0) / people / 2;
  return (a, b) => (reach[a] + reach[b] - spacing[a * cells + b]) / 2 - half;
}
