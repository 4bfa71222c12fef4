// Training and scoring of a net by one or several threads that share one memory. All run the same programme, each doing
// its share of every step, and meet after each.

import { Loss, lossGradient } from "./loss";
import { biasGradient, multiply, pack, packTransposed, weightGradient } from "./multiply";
import { normalise, normaliseGradient, normaliseParameters } from "./norm";
import { Op, share } from "./op";
import { add, averagePool, averagePoolGradient, copy, maxPool, maxPoolGradient, rectify, rectifyGradient } from "./plain";

/** src/learning/net/job.ts writes these fields and must list them in the same order. */
@unmanaged
class Job {
  /** Op [count] */
  forward: usize;
  forwardCount: i32;
  backward: usize;
  backwardCount: i32;
  /** u32 [people]: which people, in this order, in batches */
  order: usize;
  people: i32;
  batch: i32;
  /** f32 [everybody][features]; u8 [everybody] each */
  data: usize;
  features: i32;
  labels: usize;
  groups: usize;
  /** f32 [batch][features] */
  input: usize;
  loss: usize;
  /** f32 [people][classes but the first]: the class's logit less that of the first */
  scores: usize;
  /** f32 [count], all layers' in one piece */
  parameters: usize;
  gradients: usize;
  parameterCount: i32;
  /** f64 [chunks]: sums of squares */
  partials: usize;
  /** two i32: arrived, and how many meetings there were */
  meeting: usize;
  /** steps that were left out since their gradient was not finite */
  skipped: i32;
  rate: f32;
  clip: f32;
}

/** Parameters of which one sum of squares is taken; `chunk` of src/learning/trainer.ts. */
const CHUNK: i32 = 8192;

/** Steps of gradient descent on batches [from, to). */
export function train(at: usize, from: i32, to: i32, thread: i32, threads: i32): void {
  const job = changetype<Job>(at);
  const loss = changetype<Loss>(job.loss);
  for (let batch = from; batch < to; batch++) {
    const first = batch * job.batch;
    const people = min(job.batch, job.people - first);
    const order = job.order + <usize>first * 4;
    gather(job, order, people, thread, threads);
    meet(job, threads);
    run(job, job.forward, job.forwardCount, people, thread, threads);
    if (thread == 0) lossGradient(loss, order, job.labels, job.groups, people);
    meet(job, threads);
    run(job, job.backward, job.backwardCount, people, thread, threads);
    squares(job, thread, threads);
    meet(job, threads);
    descend(job, thread, threads);
    meet(job, threads);
  }
}

/** Scores of the people in batches [from, to). */
export function score(at: usize, from: i32, to: i32, thread: i32, threads: i32): void {
  const job = changetype<Job>(at);
  const loss = changetype<Loss>(job.loss);
  for (let batch = from; batch < to; batch++) {
    const first = batch * job.batch;
    const people = min(job.batch, job.people - first);
    gather(job, job.order + <usize>first * 4, people, thread, threads);
    meet(job, threads);
    run(job, job.forward, job.forwardCount, people, thread, threads);
    if (thread == 0) {
      for (let i = 0; i < people; i++) {
        const logits = loss.logits + <usize>(i * loss.classes) * 4;
        const scores = job.scores + <usize>((first + i) * (loss.classes - 1)) * 4 - 4;
        for (let k: usize = 4; k < <usize>loss.classes * 4; k += 4) {
          store<f32>(scores + k, load<f32>(logits + k) - load<f32>(logits));
        }
      }
    }
    meet(job, threads);
  }
}

function gather(job: Job, order: usize, people: i32, thread: i32, threads: i32): void {
  const bytes = <usize>job.features * 4;
  const to = share(people, thread + 1, threads);
  for (let i = share(people, thread, threads); i < to; i++) {
    const person = <usize>load<u32>(order + <usize>i * 4);
    memory.copy(job.input + <usize>i * bytes, job.data + person * bytes, bytes);
  }
}

function run(job: Job, ops: usize, count: i32, people: i32, thread: i32, threads: i32): void {
  for (let i = 0; i < count; i++) {
    const op = changetype<Op>(ops + <usize>i * offsetof<Op>());
    switch (op.code) {
      case 0: { pack(op, thread, threads); break; }
      case 1: { packTransposed(op, thread, threads); break; }
      case 2: { multiply(op, people, thread, threads); break; }
      case 3: { weightGradient(op, people, thread, threads); break; }
      case 4: { biasGradient(op, people, thread, threads); break; }
      case 5: { normalise(op, people, thread, threads); break; }
      case 6: { normaliseGradient(op, people, thread, threads); break; }
      case 7: { normaliseParameters(op, people, thread, threads); break; }
      case 8: { rectify(op, people, thread, threads); break; }
      case 9: { rectifyGradient(op, people, thread, threads); break; }
      case 10: { add(op, people, thread, threads); break; }
      case 11: { averagePool(op, people, thread, threads); break; }
      case 12: { averagePoolGradient(op, people, thread, threads); break; }
      case 13: { maxPool(op, people, thread, threads); break; }
      case 14: { maxPoolGradient(op, people, thread, threads); break; }
      case 15: { copy(op, people, thread, threads); break; }
    }
    meet(job, threads);
  }
}

/** Sums of squares of chunks of the gradient: the chunks, and so the sum, are the same for any number of threads. */
function squares(job: Job, thread: i32, threads: i32): void {
  const chunks = (job.parameterCount + CHUNK - 1) / CHUNK;
  const to = share(chunks, thread + 1, threads);
  for (let chunk = share(chunks, thread, threads); chunk < to; chunk++) {
    let sum: f64 = 0;
    const end = min((chunk + 1) * CHUNK, job.parameterCount);
    for (let i = chunk * CHUNK; i < end; i++) {
      const g = <f64>load<f32>(job.gradients + <usize>i * 4);
      sum += g * g;
    }
    store<f64>(job.partials + <usize>chunk * 8, sum);
  }
}

/** One step, no longer than rate times clip: by this, a party's update has a bound that nobody has to trust. */
function descend(job: Job, thread: i32, threads: i32): void {
  const chunks = (job.parameterCount + CHUNK - 1) / CHUNK;
  let sum: f64 = 0;
  for (let chunk = 0; chunk < chunks; chunk++) sum += load<f64>(job.partials + <usize>chunk * 8);
  const norm = Math.sqrt(sum);
  if (!isFinite(norm)) {
    if (thread == 0) job.skipped++;
    return;
  }
  const step = <f32>(norm > <f64>job.clip ? (<f64>job.rate * <f64>job.clip) / norm : <f64>job.rate);
  const wide = f32x4.splat(step);
  // Layers begin at multiples of 4 numbers, so vectors leave no rest.
  const to = min(share(chunks, thread + 1, threads) * CHUNK, job.parameterCount);
  for (let i = share(chunks, thread, threads) * CHUNK; i < to; i += 4) {
    const at = job.parameters + <usize>i * 4;
    v128.store(at, f32x4.sub(v128.load(at), f32x4.mul(wide, v128.load(job.gradients + <usize>i * 4))));
  }
}

/** Returns when all threads have come: a short spin, then sleep, since somebody else may need the core. */
function meet(job: Job, threads: i32): void {
  if (threads == 1) return;
  const meetings = atomic.load<i32>(job.meeting, 4);
  if (atomic.add<i32>(job.meeting, 1) == threads - 1) {
    atomic.store<i32>(job.meeting, 0);
    atomic.add<i32>(job.meeting, 1, 4);
    atomic.notify(job.meeting + 4, threads);
    return;
  }
  for (let spin = 0; spin < 4000; spin++) if (atomic.load<i32>(job.meeting, 4) != meetings) return;
  while (atomic.load<i32>(job.meeting, 4) == meetings) atomic.wait<i32>(job.meeting + 4, meetings, -1);
}
