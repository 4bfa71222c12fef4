import { MoietyError } from "../../errors.js";
import { counted, type Draw, numeric, text } from "./columns.js";
import { cumulate, Random } from "./random.js";

/** What shapes can be asked for; each has its own defaults. */
export interface ShapeOptions {
  /** blobs: dimensions, default 2 */
  readonly d?: number;
  /** blobs: how many, default 5 */
  readonly k?: number;
  /** blobs, twomoon, gaussian18, grid: the spread of each cluster. The grid's default of 1.5 is the hardest of the paper's. */
  readonly sd?: number;
  /** grid: how far parties reach, default 1; 0.1, 1 or 10 in the paper */
  readonly beta?: number;
  /** grid: how many parties, default 5 */
  readonly parties?: number;
}

/** Round blobs, their centres in a box of side 20, of uneven sizes; two protected columns whose shares differ from blob to blob. */
export function blobs(n: number, seed: number, { d = 2, k = 5, sd = 1 }: ShapeOptions): Draw {
  if (!(Number.isInteger(d) && d >= 1 && d <= 10_000)) throw new MoietyError("usage", `d=${d} should be 1 to 10000`);
  if (!(Number.isInteger(k) && k >= 1 && k <= 65_535)) throw new MoietyError("usage", `k=${k} should be 1 to 65535`);
  const places = new Random(seed, 0);
  const centres = Array.from({ length: k }, () => Float64Array.from({ length: d }, () => 20 * places.uniform() - 10));
  const sizes = cumulate(Array.from({ length: k }, (_, j) => 1 / Math.sqrt(j + 1)));
  // Each blob leans towards one group; every group is found everywhere.
  const leaning = Array.from({ length: k }, (_, j) =>
    cumulate([0, 1, 2].map((g) => (g === j % 3 ? 0.6 : 0.2) / (g + 1))),
  );
  // Everybody's blob, then everybody's group, then everybody's age are one sequence.
  const [blobDraws, groupDraws, ageDraws] = [0, 1, 2].map((column) => new Random(seed, 1).skip(column * n));
  const noise = Array.from({ length: d }, (_, dimension) => new Random(seed, 2 + dimension));
  return (_, count) => {
    const blob = Uint16Array.from({ length: count }, () => blobDraws.choose(sizes));
    const group = blob.map((j) => groupDraws.choose(leaning[j]));
    const older = blob.map((j) => (ageDraws.uniform() < (j % 2 === 0 ? 0.3 : 0.6) ? 1 : 0));
    const features = noise.map((random, dimension) => {
      const centre = Float64Array.from(centres, (place) => place[dimension]);
      const values = new Float64Array(count);
      for (let i = 0; i < count; i++) values[i] = centre[blob[i]] + sd * random.normal();
      return numeric(`x${dimension}`, values);
    });
    const truth = text("blob", blob, counted("b", k));
    return [...features, truth, text("group", group, ["A", "B", "C"]), text("age", older, ["young", "old"])];
  };
}

/** Two half moons that hold each other, each the home of one group; the fairness and the shape pull apart. */
export function twoMoons(_: number, seed: number, { sd = 0.07 }: ShapeOptions): Draw {
  const random = new Random(seed);
  return (first, count) => {
    const x = new Float64Array(count);
    const y = new Float64Array(count);
    const moon = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      moon[i] = (first + i) % 2;
      const angle = Math.PI * random.uniform();
      x[i] = (moon[i] === 0 ? Math.cos(angle) : 1 - Math.cos(angle)) + sd * random.normal();
      y[i] = (moon[i] === 0 ? Math.sin(angle) : 0.5 - Math.sin(angle)) + sd * random.normal();
    }
    return [numeric("x", x), numeric("y", y), text("group", moon, ["A", "B"])];
  };
}

/** 18 Gaussians on 3 rows of 6, the two groups alternating like the fields of a chess board. */
export function eighteenGaussians(_: number, seed: number, { sd = 0.15 }: ShapeOptions): Draw {
  const random = new Random(seed);
  return (first, count) => {
    const x = new Float64Array(count);
    const y = new Float64Array(count);
    const cluster = new Uint8Array(count);
    const group = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      cluster[i] = (first + i) % 18;
      const across = cluster[i] % 6;
      const down = (cluster[i] - across) / 6;
      group[i] = (across + down) & 1;
      x[i] = across + sd * random.normal();
      y[i] = down + sd * random.normal();
    }
    const truth = text("cluster", cluster, counted("c", 18));
    return [numeric("x", x), numeric("y", y), truth, text("group", group, ["A", "B"])];
  };
}

/**
 * The FKM paper's experiment: 16 clusters on a grid, and parties at random places. A point falls to party c with
 * probability 1 - exp(-beta / distance); to one of them at random if to several, to the nearest if to none.
 */
export function grid(_: number, seed: number, { sd = 1.5, beta = 1, parties = 5 }: ShapeOptions): Draw {
  if (!(Number.isInteger(parties) && parties >= 1 && parties <= 1000)) {
    throw new MoietyError("usage", `parties=${parties} should be 1 to 1000`);
  }
  if (!(beta > 0)) throw new MoietyError("usage", `beta=${beta} should be above 0`);
  const places = new Random(seed, 0);
  const partyX = Float64Array.from({ length: parties }, () => 20 * places.uniform() - 10);
  const partyY = Float64Array.from({ length: parties }, () => 20 * places.uniform() - 10);
  const random = new Random(seed, 1);
  return (first, count) => {
    const x = new Float64Array(count);
    const y = new Float64Array(count);
    const cluster = new Uint8Array(count);
    const party = new Uint16Array(count);
    for (let i = 0; i < count; i++) {
      cluster[i] = (first + i) % 16;
      x[i] = -7.5 + 5 * (cluster[i] & 3) + sd * random.normal();
      y[i] = -7.5 + 5 * (cluster[i] >> 2) + sd * random.normal();
      let hits = 0;
      let nearest = 0;
      let nearestDistance = Number.POSITIVE_INFINITY;
      for (let c = 0; c < parties; c++) {
        const distance = Math.hypot(x[i] - partyX[c], y[i] - partyY[c]);
        if (distance < nearestDistance) {
          nearestDistance = distance;
          nearest = c;
        }
        // Keeping the h-th hit with probability 1/h chooses evenly among all of them.
        if (random.uniform() < 1 - Math.exp(-beta / distance) && random.below(++hits) === 0) party[i] = c;
      }
      if (hits === 0) party[i] = nearest;
    }
    const columns = [text("cluster", cluster, counted("c", 16)), text("party", party, counted("p", parties))];
    return [numeric("x", x), numeric("y", y), ...columns];
  };
}
