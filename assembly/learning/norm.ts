// Group normalisation: each person's channels are centred and scaled in groups, by that person's own pixels alone. So a
// person's score does not depend on the batch, a model has no running statistics that parties would have to average,
// and people can be dealt over threads freely.

import { Op, share } from "./op";

const EPSILON: f32 = 1e-5;

/** Fields: in, out, gamma (beta follows it), channels, groups, pixels, saved means and scales [people][2][channels]. */
export function normalise(op: Op, people: i32, thread: i32, threads: i32): void {
  const channels = op.d;
  const groups = op.e;
  const pixels = op.f;
  const bytes = <usize>channels * 4;
  const plane = <usize>pixels * bytes;
  const to = share(people, thread + 1, threads);
  for (let person = share(people, thread, threads); person < to; person++) {
    const x = <usize>op.a + <usize>person * plane;
    const y = <usize>op.b + <usize>person * plane;
    const mean = <usize>op.g + <usize>person * 2 * bytes;
    const scale = mean + bytes;
    memory.fill(mean, 0, 2 * bytes);
    for (let pixel = x; pixel < x + plane; pixel += bytes) {
      for (let c: usize = 0; c < bytes; c += 16) {
        v128.store(mean + c, f32x4.add(v128.load(mean + c), v128.load(pixel + c)));
      }
    }
    average(mean, channels, groups, pixels);
    for (let pixel = x; pixel < x + plane; pixel += bytes) {
      for (let c: usize = 0; c < bytes; c += 16) {
        const away = f32x4.sub(v128.load(pixel + c), v128.load(mean + c));
        v128.store(scale + c, f32x4.add(v128.load(scale + c), f32x4.mul(away, away)));
      }
    }
    average(scale, channels, groups, pixels);
    for (let c: usize = 0; c < bytes; c += 4) {
      store<f32>(scale + c, <f32>1 / Mathf.sqrt(load<f32>(scale + c) + EPSILON));
    }
    const gamma = <usize>op.c;
    for (let at: usize = 0; at < plane; at += bytes) {
      for (let c: usize = 0; c < bytes; c += 16) {
        const away = f32x4.sub(v128.load(x + at + c), v128.load(mean + c));
        const scaled = f32x4.mul(f32x4.mul(away, v128.load(scale + c)), v128.load(gamma + c));
        v128.store(y + at + c, f32x4.add(scaled, v128.load(gamma + bytes + c)));
      }
    }
  }
}

/** In place: sums of channels become the mean of their group, the same for each of its channels. */
function average(sums: usize, channels: i32, groups: i32, pixels: i32): void {
  const size = channels / groups;
  for (let group = 0; group < groups; group++) {
    const at = sums + <usize>(group * size) * 4;
    let sum: f32 = 0;
    for (let c = 0; c < size; c++) sum += load<f32>(at + <usize>c * 4);
    const mean: f32 = sum / <f32>(size * pixels);
    for (let c = 0; c < size; c++) store<f32>(at + <usize>c * 4, mean);
  }
}

/**
 * Fields: in, out's gradient, gamma, channels, groups, pixels, saved, in's gradient, sums [people][4][channels]: per
 * channel of beta and gamma (for the next kernel), and two of scratch.
 */
export function normaliseGradient(op: Op, people: i32, thread: i32, threads: i32): void {
  const channels = op.d;
  const groups = op.e;
  const pixels = op.f;
  const bytes = <usize>channels * 4;
  const plane = <usize>pixels * bytes;
  const gamma = <usize>op.c;
  const to = share(people, thread + 1, threads);
  for (let person = share(people, thread, threads); person < to; person++) {
    const x = <usize>op.a + <usize>person * plane;
    const dy = <usize>op.b + <usize>person * plane;
    const dx = <usize>op.h + <usize>person * plane;
    const mean = <usize>op.g + <usize>person * 2 * bytes;
    const scale = mean + bytes;
    const shifts = <usize>op.i + <usize>person * 4 * bytes;
    const scales = shifts + bytes;
    const meanShift = scales + bytes;
    const meanScale = meanShift + bytes;
    memory.fill(shifts, 0, 2 * bytes);
    for (let at: usize = 0; at < plane; at += bytes) {
      for (let c: usize = 0; c < bytes; c += 16) {
        const g = v128.load(dy + at + c);
        const unit = f32x4.mul(f32x4.sub(v128.load(x + at + c), v128.load(mean + c)), v128.load(scale + c));
        v128.store(shifts + c, f32x4.add(v128.load(shifts + c), g));
        v128.store(scales + c, f32x4.add(v128.load(scales + c), f32x4.mul(g, unit)));
      }
    }
    for (let c: usize = 0; c < bytes; c += 16) {
      v128.store(meanShift + c, f32x4.mul(v128.load(shifts + c), v128.load(gamma + c)));
      v128.store(meanScale + c, f32x4.mul(v128.load(scales + c), v128.load(gamma + c)));
    }
    average(meanShift, channels, groups, pixels);
    average(meanScale, channels, groups, pixels);
    for (let at: usize = 0; at < plane; at += bytes) {
      for (let c: usize = 0; c < bytes; c += 16) {
        const unit = f32x4.mul(f32x4.sub(v128.load(x + at + c), v128.load(mean + c)), v128.load(scale + c));
        const g = f32x4.mul(v128.load(dy + at + c), v128.load(gamma + c));
        const rest = f32x4.add(v128.load(meanShift + c), f32x4.mul(unit, v128.load(meanScale + c)));
        v128.store(dx + at + c, f32x4.mul(v128.load(scale + c), f32x4.sub(g, rest)));
      }
    }
  }
}

/** The people's sums of `normaliseGradient` over people. Fields: sums, -, gamma's gradient (beta's follows), channels. */
export function normaliseParameters(op: Op, people: i32, thread: i32, threads: i32): void {
  const channels = op.d;
  const to = share(channels, thread + 1, threads);
  for (let channel = share(channels, thread, threads); channel < to; channel++) {
    let shift: f32 = 0;
    let scale: f32 = 0;
    for (let person = 0; person < people; person++) {
      const at = <usize>op.a + <usize>(person * 4 * channels + channel) * 4;
      shift += load<f32>(at);
      scale += load<f32>(at + <usize>channels * 4);
    }
    store<f32>(<usize>op.c + <usize>channel * 4, scale);
    store<f32>(<usize>op.c + <usize>(channels + channel) * 4, shift);
  }
}
