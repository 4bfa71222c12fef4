// What touches each number once: rectifiers, sums of branches, pools.

import { Op, share } from "./op";

/** In place. Fields: numbers, -, -, numbers per person. */
export function rectify(op: Op, people: i32, thread: i32, threads: i32): void {
  const units = (people * op.d + 3) / 4;
  const zero = f32x4.splat(0);
  const to = <usize>op.a + <usize>share(units, thread + 1, threads) * 16;
  for (let at = <usize>op.a + <usize>share(units, thread, threads) * 16; at < to; at += 16) {
    v128.store(at, f32x4.max(v128.load(at), zero));
  }
}

/** In place: the gradient passes where the output is above 0. Fields: output, gradient, -, numbers per person. */
export function rectifyGradient(op: Op, people: i32, thread: i32, threads: i32): void {
  const units = (people * op.d + 3) / 4;
  const zero = f32x4.splat(0);
  const to = <usize>share(units, thread + 1, threads) * 16;
  for (let at = <usize>share(units, thread, threads) * 16; at < to; at += 16) {
    const passes = f32x4.gt(v128.load(<usize>op.a + at), zero);
    v128.store(<usize>op.b + at, v128.and(v128.load(<usize>op.b + at), passes));
  }
}

/** Fields: one, other, sum, numbers per person. */
export function add(op: Op, people: i32, thread: i32, threads: i32): void {
  const units = (people * op.d + 3) / 4;
  const to = <usize>share(units, thread + 1, threads) * 16;
  for (let at = <usize>share(units, thread, threads) * 16; at < to; at += 16) {
    v128.store(<usize>op.c + at, f32x4.add(v128.load(<usize>op.a + at), v128.load(<usize>op.b + at)));
  }
}

/** Fields: from, -, to, numbers per person. */
export function copy(op: Op, people: i32, thread: i32, threads: i32): void {
  const units = (people * op.d + 3) / 4;
  const from = <usize>share(units, thread, threads) * 16;
  const to = <usize>share(units, thread + 1, threads) * 16;
  memory.copy(<usize>op.c + from, <usize>op.a + from, to - from);
}

/** The mean of each channel over the pixels. Fields: in, -, out, channels, pixels. */
export function averagePool(op: Op, people: i32, thread: i32, threads: i32): void {
  const channels = op.d;
  const pixels = op.e;
  const to = share(people, thread + 1, threads);
  for (let person = share(people, thread, threads); person < to; person++) {
    for (let channel = 0; channel < channels; channel++) {
      let sum: f32 = 0;
      for (let pixel = 0; pixel < pixels; pixel++) {
        sum += load<f32>(<usize>op.a + <usize>((person * pixels + pixel) * channels + channel) * 4);
      }
      store<f32>(<usize>op.c + <usize>(person * channels + channel) * 4, sum / <f32>pixels);
    }
  }
}

/** Fields: in's gradient, -, out's gradient, channels, pixels. */
export function averagePoolGradient(op: Op, people: i32, thread: i32, threads: i32): void {
  const channels = op.d;
  const pixels = op.e;
  const to = share(people, thread + 1, threads);
  for (let person = share(people, thread, threads); person < to; person++) {
    for (let pixel = 0; pixel < pixels; pixel++) {
      for (let channel = 0; channel < channels; channel++) {
        const g = load<f32>(<usize>op.c + <usize>(person * channels + channel) * 4);
        const at = <usize>op.a + <usize>((person * pixels + pixel) * channels + channel) * 4;
        store<f32>(at, g / <f32>pixels);
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function pointer(table: i32, row: i32, segments: i32, segment: i32): usize {
  return <usize>load<u32>(<usize>table + <usize>(((row >> 2) * segments + segment) * 4 + (row & 3)) * 4);
}

/** The largest of each window; beyond the border is 0, as inputs are rectified. Fields: table, -, out, segments, channels, pixels out. */
export function maxPool(op: Op, people: i32, thread: i32, threads: i32): void {
  const segments = op.d;
  const channels = op.e;
  const to = share(people, thread + 1, threads) * op.f;
  for (let row = share(people, thread, threads) * op.f; row < to; row++) {
    const out = <usize>op.c + <usize>(row * channels) * 4;
    for (let segment = 0; segment < segments; segment++) {
      const x = pointer(op.a, row, segments, segment);
      for (let c: usize = 0; c < <usize>channels * 4; c += 4) {
        const value = load<f32>(x + c);
        if (segment == 0 || value > load<f32>(out + c)) store<f32>(out + c, value);
      }
    }
  }
}

/**
 * The gradient goes to the first of the largest. Fields: table, in's gradient less in, out, segments, channels, pixels
 * out, out's gradient, zeros (which have no gradient), in's gradient, numbers in per person.
 */
export function maxPoolGradient(op: Op, people: i32, thread: i32, threads: i32): void {
  const segments = op.d;
  const channels = op.e;
  const from = share(people, thread, threads);
  const to = share(people, thread + 1, threads);
  memory.fill(<usize>op.i + <usize>(from * op.j) * 4, 0, <usize>((to - from) * op.j) * 4);
  for (let row = from * op.f; row < to * op.f; row++) {
    const at = <usize>(row * channels) * 4;
    for (let c: usize = 0; c < <usize>channels * 4; c += 4) {
      const largest = load<f32>(<usize>op.c + at + c);
      for (let segment = 0; segment < segments; segment++) {
        const x = pointer(op.a, row, segments, segment);
        if (load<f32>(x + c) != largest) continue;
        if (x != <usize>op.h) {
          const target = x + <usize>op.b + c;
          store<f32>(target, load<f32>(target) + load<f32>(<usize>op.g + at + c));
        }
        break;
      }
    }
  }
}
