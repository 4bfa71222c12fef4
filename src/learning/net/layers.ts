import type { NetStep, Programme, Tensor } from "./programme.js";

interface Window {
  readonly size: number;
  readonly stride: number;
  readonly padding: number;
}

/** `WIDTH` of assembly/learning/multiply.ts: columns that a packed panel of weights has. */
const panel = 8;

/** Consecutive places of a window, counted row by row. */
interface Places {
  readonly from: number;
  readonly count: number;
}

/** From the first to the last place at which some output pixel sees one: of tiny pictures many see nothing but the border. */
function seenPlaces(x: Pick<Tensor, "height" | "width">, { size, stride, padding }: Window): Places {
  const sees = (place: number, length: number) => {
    for (let at = place - padding; at <= length + padding - size + place; at += stride) {
      if (at >= 0 && at < length) return true;
    }
    return false;
  };
  const seen = Array.from({ length: size * size }, (_, place) => place).filter(
    (place) => sees(Math.floor(place / size), x.height) && sees(place % size, x.width),
  );
  return { from: seen[0], count: seen[seen.length - 1] - seen[0] + 1 };
}

/**
 * For each row (a pixel of a person) and each place of the window, the address of a pixel's channels in another tensor, or of
 * zeros beyond its border; laid out as assembly/learning/multiply.ts reads it. `coordinate` says which pixel, along one axis,
 * from the row's own coordinate and the place's; a fraction means none.
 */
function pointers(
  programme: Programme,
  rows: Tensor,
  pixels: Tensor,
  zeros: number,
  size: number,
  { from, count }: Places,
  coordinate: (ofRow: number, ofPlace: number) => number,
): number {
  const { height, width, channels } = pixels;
  const rowsEach = rows.height * rows.width;
  const tiles = Math.ceil((programme.batch * rowsEach) / 4);
  const at = programme.allocate(tiles * count * 16);
  const table = new Uint32Array(programme.arena.memory.buffer, at, tiles * count * 4);
  for (let row = 0; row < tiles * 4; row++) {
    const person = Math.min(programme.batch - 1, Math.floor(row / rowsEach));
    const pixel = row % rowsEach;
    for (let segment = 0; segment < count; segment++) {
      const place = from + segment;
      const y = coordinate(Math.floor(pixel / rows.width), Math.floor(place / size));
      const x = coordinate(pixel % rows.width, place % size);
      const whole = Number.isInteger(y) && Number.isInteger(x);
      const inside = whole && y >= 0 && x >= 0 && y < height && x < width;
      const address = pixels.at + ((person * height + y) * width + x) * channels * 4;
      table[((row >> 2) * count + segment) * 4 + (row & 3)] = inside ? address : zeros;
    }
  }
  return at;
}

/** Which input pixels an output pixel sees. */
function windowTable(
  programme: Programme,
  x: Tensor,
  y: Tensor,
  { size, stride, padding }: Window,
  zeros: number,
  places: Places = { from: 0, count: size * size },
): number {
  return pointers(programme, y, x, zeros, size, places, (output, place) => output * stride - padding + place);
}

/** A convolution; a dense layer is one over a single pixel. `first` layers need no gradient of their input. */
export function convolution(
  programme: Programme,
  x: Tensor,
  outputs: number,
  window: Window,
  { bias = false, first = false } = {},
): Tensor {
  const { size, stride, padding } = window;
  const places = seenPlaces(x, window);
  const segments = places.count;
  const height = Math.floor((x.height + 2 * padding - size) / stride) + 1;
  const width = Math.floor((x.width + 2 * padding - size) / stride) + 1;
  const y = programme.tensor(height, width, outputs);
  const fanIn = size * size * x.channels;
  // He's start, uniform: the variance 2 / fan-in keeps rectified activations at their size.
  const weights = programme.parameter(fanIn * outputs, { bound: Math.sqrt(6 / fanIn) });
  const biases = bias ? programme.parameter(outputs, { constant: 0 }) : undefined;
  // Weights of places that see nothing stay what they are, and their gradient is 0.
  const used = weights.offset + places.from * x.channels * outputs;
  const rowsUsed = segments * x.channels;
  const packed = programme.allocate((rowsUsed + 1) * Math.ceil(outputs / panel) * panel * 4);
  programme.multiplications += rowsUsed * outputs * height * width;
  let table = 0;
  programme.steps({
    forward({ parameters, zeros }) {
      table = windowTable(programme, x, y, window, zeros, places);
      const bias = biases ? parameters + biases.offset * 4 : 0;
      return [
        ["pack", parameters + used * 4, bias, packed, rowsUsed, outputs],
        ["multiply", table, packed, y.at, segments, x.channels, outputs, height * width, 0],
      ];
    },
    backward({ parameters, gradients, zeros }) {
      const gradient = programme.gradient(y);
      const rows = height * width;
      const weight = gradients + used * 4;
      const steps: NetStep[] = [["weightGradient", table, gradient, weight, segments, x.channels, outputs, rows]];
      if (biases) steps.push(["biasGradient", gradient, 0, gradients + biases.offset * 4, outputs, rows]);
      if (first) return steps;
      const back = programme.allocate((segments * outputs + 1) * Math.ceil(x.channels / panel) * panel * 4);
      const target = programme.gradient(x);
      // The output pixels that have seen an input pixel, by the place of the window at which they did.
      const seenBy = (input: number, place: number) => (input + padding - place) / stride;
      const from = pointers(programme, x, { ...y, at: gradient }, zeros, size, places, seenBy);
      const adds = programme.addsTo(target);
      steps.push(
        ["packTransposed", parameters + used * 4, 0, back, segments, outputs, x.channels],
        ["multiply", from, back, target, segments, outputs, x.channels, x.height * x.width, adds],
      );
      return steps;
    },
  });
  return y;
}

export function dense(programme: Programme, x: Tensor, outputs: number, first = false): Tensor {
  return convolution(programme, x, outputs, { size: 1, stride: 1, padding: 0 }, { bias: true, first });
}

/** Group normalisation; see assembly/learning/norm.ts for why not over batches. Channels are a multiple of 4. */
export function groupNorm(programme: Programme, x: Tensor, groups = 32): Tensor {
  const { height, width, channels } = x;
  const y = programme.tensor(height, width, channels);
  const scale = programme.parameter(channels, { constant: 1 });
  programme.parameter(channels, { constant: 0 });
  const saved = programme.allocate(programme.batch * 2 * channels * 4);
  const count = Math.min(groups, channels / 2);
  programme.steps({
    forward: ({ parameters }) => [
      ["normalise", x.at, y.at, parameters + scale.offset * 4, channels, count, height * width, saved],
    ],
    backward({ parameters, gradients }) {
      const sums = programme.allocate(programme.batch * 4 * channels * 4);
      const gamma = parameters + scale.offset * 4;
      const [dy, dx] = [programme.gradient(y), programme.gradient(x)];
      programme.addsTo(dx);
      return [
        ["normaliseGradient", x.at, dy, gamma, channels, count, height * width, saved, dx, sums],
        ["normaliseParameters", sums, 0, gradients + scale.offset * 4, channels],
      ];
    },
  });
  return y;
}

/** In place. */
export function rectifier(programme: Programme, x: Tensor): Tensor {
  const each = x.height * x.width * x.channels;
  programme.steps({
    forward: () => [["rectify", x.at, 0, 0, each]],
    backward: () => [["rectifyGradient", x.at, programme.gradient(x), 0, each]],
  });
  return x;
}

/** The sum of two branches. The first may have no other use: it has the sum's own gradient, the second a copy. */
export function sum(programme: Programme, a: Tensor, b: Tensor): Tensor {
  const out = programme.tensor(a.height, a.width, a.channels);
  const each = a.height * a.width * a.channels;
  programme.shareGradient(a, out);
  programme.steps({
    forward: () => [["add", a.at, b.at, out.at, each]],
    backward() {
      const [from, to] = [programme.gradient(out), programme.gradient(b)];
      return programme.addsTo(to) ? [["add", from, to, to, each]] : [["copy", from, 0, to, each]];
    },
  });
  return out;
}

/** The mean over all pixels. */
export function averagePool(programme: Programme, x: Tensor): Tensor {
  const out = programme.tensor(1, 1, x.channels);
  const pixels = x.height * x.width;
  programme.steps({
    forward: () => [["averagePool", x.at, 0, out.at, x.channels, pixels]],
    backward() {
      const target = programme.gradient(x);
      programme.addsTo(target);
      return [["averagePoolGradient", target, 0, programme.gradient(out), x.channels, pixels]];
    },
  });
  return out;
}

/** The largest of each window of rectified activations. */
export function maxPool(programme: Programme, x: Tensor, window: Window): Tensor {
  const { size, stride, padding } = window;
  const height = Math.floor((x.height + 2 * padding - size) / stride) + 1;
  const width = Math.floor((x.width + 2 * padding - size) / stride) + 1;
  const { channels } = x;
  const out = programme.tensor(height, width, channels);
  let table = 0;
  programme.steps({
    forward({ zeros }) {
      table = windowTable(programme, x, out, window, zeros);
      return [["maxPool", table, 0, out.at, size * size, channels, height * width]];
    },
    backward({ zeros }) {
      const target = programme.gradient(x);
      programme.addsTo(target);
      const from = programme.gradient(out);
      const each = x.height * x.width * channels;
      const sizes = [size * size, channels, height * width] as const;
      return [["maxPoolGradient", table, target - x.at, out.at, ...sizes, from, zeros, target, each]];
    },
  });
  return out;
}
