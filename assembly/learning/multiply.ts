// Matrix products for dense layers and convolutions. Every operand is a matrix whose rows are people times pixels and
// whose columns are channels. A row of the left operand is not copied together (im2col) but pointed together: a table
// names, for each output row and each of its `segments` (one for a dense layer, 9 for a 3 x 3 convolution), the address
// of `channels` contiguous numbers, or of zeros beyond the border. Tables are laid out [tile of 4 rows][segment][4].
//
// Every output number is computed by one thread in one fixed order: results do not depend on how many threads share.

import { Op, share } from "./op";

/** Numbers in a panel of the packed right operand. */
const WIDTH: i32 = 8;

/**
 * Packs weights [segments * channels][outputs] into panels of 8 columns, each ended by its 8 biases, as the tiles read
 * them. Fields: weights, bias or 0, packed, rows, columns.
 */
export function pack(op: Op, thread: i32, threads: i32): void {
  const rows = op.d;
  const columns = op.e;
  const panels = (columns + WIDTH - 1) / WIDTH;
  const from = share(panels, thread, threads);
  const to = share(panels, thread + 1, threads);
  for (let panel = from; panel < to; panel++) {
    let out = <usize>op.c + <usize>panel * <usize>(rows + 1) * 32;
    const first = panel * WIDTH;
    const wide = min(WIDTH, columns - first);
    for (let row = 0; row <= rows; row++) {
      let source = <usize>op.a + (<usize>row * <usize>columns + <usize>first) * 4;
      if (row == rows) source = op.b == 0 ? 0 : <usize>op.b + <usize>first * 4;
      if (wide == WIDTH && source != 0) {
        v128.store(out, v128.load(source));
        v128.store(out, v128.load(source, 16), 16);
      } else {
        for (let i = 0; i < WIDTH; i++) {
          store<f32>(out + <usize>i * 4, i < wide && source != 0 ? load<f32>(source + <usize>i * 4) : 0);
        }
      }
      out += 32;
    }
  }
}

/**
 * Packs the transposed weights for the gradient of a layer's input: panels over channels, rows over segment and output.
 * Fields: weights, -, packed, segments, outputs, channels.
 */
export function packTransposed(op: Op, thread: i32, threads: i32): void {
  const segments = op.d;
  const outputs = op.e;
  const channels = op.f;
  const panels = (channels + WIDTH - 1) / WIDTH;
  const from = share(panels, thread, threads);
  const to = share(panels, thread + 1, threads);
  for (let panel = from; panel < to; panel++) {
    const start = <usize>op.c + <usize>panel * <usize>(segments * outputs + 1) * 32;
    const channel = panel * WIDTH;
    const wide = min(WIDTH, channels - channel);
    for (let segment = 0; segment < segments; segment++) {
      const source = <usize>op.a + <usize>(segment * channels + channel) * <usize>outputs * 4;
      const out = start + <usize>(segment * outputs) * 32;
      let output = 0;
      if (wide == WIDTH) {
        for (; output + 4 <= outputs; output += 4) {
          transpose4(source + <usize>output * 4, <usize>outputs * 4, out + <usize>output * 32);
          transpose4(source + <usize>(4 * outputs + output) * 4, <usize>outputs * 4, out + <usize>output * 32 + 16);
        }
      }
      for (; output < outputs; output++) {
        for (let i = 0; i < WIDTH; i++) {
          const at = source + <usize>(i * outputs + output) * 4;
          store<f32>(out + <usize>(output * WIDTH + i) * 4, i < wide ? load<f32>(at) : 0);
        }
      }
    }
    memory.fill(start + <usize>(segments * outputs) * 32, 0, 32);
  }
}

/** Four numbers of each of four rows become four rows of a panel. */
// @ts-ignore: decorator
@inline
function transpose4(source: usize, stride: usize, out: usize): void {
  const a = v128.load(source);
  const b = v128.load(source + stride);
  const c = v128.load(source + 2 * stride);
  const d = v128.load(source + 3 * stride);
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  v128.store(out, v128.shuffle<f64>(ab, cd, 0, 2));
  v128.store(out, v128.shuffle<f64>(ab, cd, 1, 3), 32);
  const ab2 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cd2 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(out, v128.shuffle<f64>(ab2, cd2, 0, 2), 64);
  v128.store(out, v128.shuffle<f64>(ab2, cd2, 1, 3), 96);
}

/**
 * out[row][column] = bias + sum over segments and channels, or added to what is there. Fields: table, packed, out,
 * segments, channels, columns, rows per person, 1 to add.
 */
export function multiply(op: Op, people: i32, thread: i32, threads: i32): void {
  const segments = op.d;
  const channels = op.e;
  const columns = op.f;
  const tiles = (people * op.g + 3) / 4;
  const from = share(tiles, thread, threads);
  const to = share(tiles, thread + 1, threads);
  const panels = (columns + WIDTH - 1) / WIDTH;
  const panelBytes = <usize>(segments * channels + 1) * 32;
  const tileBytes = <usize>segments * 16;
  // Rows whose inputs stay in the second cache while all panels pass over them.
  const block = max(4, 32768 / channels);
  for (let start = from; start < to; start += block) {
    const end = min(start + block, to);
    for (let panel = 0; panel < panels; panel++) {
      const packed = <usize>op.b + <usize>panel * panelBytes;
      const wide = min(WIDTH, columns - panel * WIDTH);
      for (let tile = start; tile < end; tile++) {
        const out = <usize>op.c + (<usize>tile * 4 * <usize>columns + <usize>(panel * WIDTH)) * 4;
        multiplyTile(
          <usize>op.a + <usize>tile * tileBytes, packed, packed + panelBytes - 32, out,
          segments, channels, <usize>columns * 4, wide, op.h != 0,
        );
      }
    }
  }
}

function multiplyTile(
  table: usize, panel: usize, bias: usize, out: usize,
  segments: i32, channels: i32, stride: usize, wide: i32, add: bool,
): void {
  let c00 = v128.load(bias);
  let c01 = v128.load(bias, 16);
  let c10 = c00;
  let c11 = c01;
  let c20 = c00;
  let c21 = c01;
  let c30 = c00;
  let c31 = c01;
  for (let segment = 0; segment < segments; segment++) {
    let a0 = <usize>load<u32>(table);
    let a1 = <usize>load<u32>(table, 4);
    let a2 = <usize>load<u32>(table, 8);
    let a3 = <usize>load<u32>(table, 12);
    table += 16;
    for (let k = 0; k < channels; k++) {
      const b0 = v128.load(panel);
      const b1 = v128.load(panel, 16);
      let x = v128.load_splat<f32>(a0);
      c00 = f32x4.add(c00, f32x4.mul(x, b0));
      c01 = f32x4.add(c01, f32x4.mul(x, b1));
      x = v128.load_splat<f32>(a1);
      c10 = f32x4.add(c10, f32x4.mul(x, b0));
      c11 = f32x4.add(c11, f32x4.mul(x, b1));
      x = v128.load_splat<f32>(a2);
      c20 = f32x4.add(c20, f32x4.mul(x, b0));
      c21 = f32x4.add(c21, f32x4.mul(x, b1));
      x = v128.load_splat<f32>(a3);
      c30 = f32x4.add(c30, f32x4.mul(x, b0));
      c31 = f32x4.add(c31, f32x4.mul(x, b1));
      panel += 32;
      a0 += 4;
      a1 += 4;
      a2 += 4;
      a3 += 4;
    }
  }
  put(out, c00, c01, wide, add);
  put(out + stride, c10, c11, wide, add);
  put(out + 2 * stride, c20, c21, wide, add);
  put(out + 3 * stride, c30, c31, wide, add);
}

// @ts-ignore: decorator
@inline
function put(out: usize, low: v128, high: v128, wide: i32, add: bool): void {
  if (wide == WIDTH) {
    v128.store(out, add ? f32x4.add(v128.load(out), low) : low);
    v128.store(out, add ? f32x4.add(v128.load(out, 16), high) : high, 16);
  } else {
    putSome(out, low, high, wide, add);
  }
}

function putSome(out: usize, low: v128, high: v128, wide: i32, add: bool): void {
  for (let i = 0; i < wide; i++) {
    const value = f32x4.extract_lane(low, 0);
    store<f32>(out, add ? load<f32>(out) + value : value);
    low = i == 3 ? high : v128.shuffle<f32>(low, low, 1, 2, 3, 0);
    out += 4;
  }
}

/**
 * The gradient of weights: for each segment, channel and output, the sum over rows of input times output's gradient.
 * Fields: table, output's gradient, weights' gradient, segments, channels, columns, rows per person.
 */
export function weightGradient(op: Op, people: i32, thread: i32, threads: i32): void {
  const segments = op.d;
  const channels = op.e;
  const columns = op.f;
  const rows = people * op.g;
  const groups = (channels + 3) / 4;
  const from = share(segments * groups, thread, threads);
  const to = share(segments * groups, thread + 1, threads);
  if (from == to) return;
  // Rows whose gradients stay in the second cache while all weights pass over them.
  const block = max(32, min(512, 65536 / columns)) & ~3;
  for (let row = 0; row < rows; row += block) {
    const end = min(row + block, rows);
    for (let unit = from; unit < to; unit++) {
      const segment = unit / groups;
      const channel = (unit % groups) * 4;
      const table = <usize>op.a + <usize>(segment * 16);
      const out = <usize>op.c + <usize>(segment * channels + channel) * <usize>columns * 4;
      const tall = min(4, channels - channel);
      for (let column = 0; column < columns; column += WIDTH) {
        const wide = min(WIDTH, columns - column);
        gradientTile(
          table, <usize>segments * 16, <usize>channel * 4, row, end, <usize>op.b + <usize>column * 4,
          out + <usize>column * 4, <usize>columns * 4, wide, tall, row > 0,
        );
      }
    }
  }
}

function gradientTile(
  table: usize, tileBytes: usize, channel: usize, from: i32, to: i32, gradient: usize,
  out: usize, stride: usize, wide: i32, tall: i32, add: bool,
): void {
  let c00 = f32x4.splat(0);
  let c01 = c00;
  let c10 = c00;
  let c11 = c00;
  let c20 = c00;
  let c21 = c00;
  let c30 = c00;
  let c31 = c00;
  let tile = table + <usize>(from >> 2) * tileBytes;
  let g = gradient + <usize>from * stride;
  for (let row = from; row < to; ) {
    const stop = min(to, row + 4);
    let at = tile;
    for (; row < stop; row++) {
      const a = <usize>load<u32>(at) + channel;
      const b0 = v128.load(g);
      const b1 = v128.load(g, 16);
      let x = v128.load_splat<f32>(a);
      c00 = f32x4.add(c00, f32x4.mul(x, b0));
      c01 = f32x4.add(c01, f32x4.mul(x, b1));
      x = v128.load_splat<f32>(a, 4);
      c10 = f32x4.add(c10, f32x4.mul(x, b0));
      c11 = f32x4.add(c11, f32x4.mul(x, b1));
      x = v128.load_splat<f32>(a, 8);
      c20 = f32x4.add(c20, f32x4.mul(x, b0));
      c21 = f32x4.add(c21, f32x4.mul(x, b1));
      x = v128.load_splat<f32>(a, 12);
      c30 = f32x4.add(c30, f32x4.mul(x, b0));
      c31 = f32x4.add(c31, f32x4.mul(x, b1));
      at += 4;
      g += stride;
    }
    tile += tileBytes;
  }
  put(out, c00, c01, wide, add);
  if (tall > 1) put(out + stride, c10, c11, wide, add);
  if (tall > 2) put(out + 2 * stride, c20, c21, wide, add);
  if (tall > 3) put(out + 3 * stride, c30, c31, wide, add);
}

/** The gradient of biases: sums over rows. Fields: output's gradient, -, biases' gradient, columns, rows per person. */
export function biasGradient(op: Op, people: i32, thread: i32, threads: i32): void {
  const columns = op.d;
  const rows = people * op.e;
  const from = share(columns, thread, threads);
  const to = share(columns, thread + 1, threads);
  for (let column = from; column < to; column++) {
    let sum: f32 = 0;
    let at = <usize>op.a + <usize>column * 4;
    for (let row = 0; row < rows; row++) {
      sum += load<f32>(at);
      at += <usize>columns * 4;
    }
    store<f32>(<usize>op.c + <usize>column * 4, sum);
  }
}
