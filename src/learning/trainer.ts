import { MoietyError } from "../errors.js";
import type { Crew } from "../kernels/crew.js";
import { Structure } from "../kernels/structure.js";
import { derive, uniform } from "../solver/seeded-chance.js";
import { turn } from "../turns.js";
import { jobFields, lossFields, singles } from "./net/job.js";
import { buildNet, type NetBuilder, type NetName, type Shape } from "./net/nets.js";
import { Programme, type ReadyNet } from "./net/programme.js";
import type { LossTerm } from "./orders.js";

/** People to learn from or to score: features row by row, the label (0 and up) and the group of each. */
export interface Examples {
  readonly n: number;
  /** [n][features] */
  readonly features: Float32Array;
  readonly labels: Uint8Array;
  readonly groups: Uint8Array;
}

/** The kinds of `LossTerm`, as assembly/learning/loss.ts knows them. */
const kinds = { given: 0, "from-reference": 1, "from-everybody": 2 } as const;

/** The addresses of examples in a trainer's memory. */
export interface Loaded {
  readonly n: number;
  readonly data: number;
  readonly labels: number;
  readonly groups: number;
}

export interface Descent {
  /** People in the order of this epoch's batches. */
  readonly order: Uint32Array;
  /** People in a step, not more than the trainer has room for. Default: as many as that. */
  readonly batch?: number;
  readonly rate: number;
  /** The longest gradient. */
  readonly clip: number;
  readonly loss: LossTerm;
}

/** Multiplications per call of the kernels: whoever wants to stop need not wait for a whole epoch. */
const multiplicationsPerCall = 3e9;
/** Parameters of which one sum of squares is taken: `CHUNK` of assembly/learning/index.ts. */
const chunk = 8192;

/** One net in the memory of one crew, for parties to take turns with. Results do not depend on the crew's size. */
export class Trainer {
  readonly parameterCount: number;
  private readonly programme: Programme;
  private readonly net: ReadyNet;
  private readonly features: number;
  private readonly job: Structure<(typeof jobFields)[number]>;
  private readonly loss: Structure<(typeof lossFields)[number]>;
  private readonly tables: { readonly entropy: number; readonly rate: number; readonly lambda: number };
  private readonly buffers = new Map<string, { at: number; bytes: number }>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly crew: Crew,
    net: NetName | NetBuilder,
    input: Shape,
    groups: number,
    readonly batch: number,
    readonly classes = 2,
  ) {
    const programme = new Programme(crew.arena, batch);
    const tensor = programme.tensor(input.height, input.width, input.channels);
    const logits = typeof net === "string" ? buildNet(programme, net, tensor, classes) : net(programme, tensor);
    this.programme = programme;
    this.net = programme.finish(logits);
    this.parameterCount = programme.parameterCount;
    this.features = input.height * input.width * input.channels;
    const doubles = (count: number) => programme.allocate(count * 8);
    const cells = groups * classes;
    this.tables = { entropy: doubles(cells), rate: doubles(cells * (classes - 1)), lambda: doubles(groups + 1) };
    this.job = new Structure(crew.arena, jobFields, singles);
    this.loss = new Structure(crew.arena, lossFields);
    this.job.set({
      loss: this.loss.at,
      forward: this.net.forward.at,
      forwardCount: this.net.forward.count,
      backward: this.net.backward.at,
      backwardCount: this.net.backward.count,
      features: this.features,
      input: tensor.at,
      parameters: this.net.parameters,
      gradients: this.net.gradients,
      parameterCount: this.parameterCount,
      partials: doubles(Math.ceil(this.parameterCount / chunk)),
      meeting: programme.allocate(16),
    });
    this.loss.set({
      logits: logits.at,
      gradients: programme.gradient(logits),
      groups,
      classes,
      entropyWeights: this.tables.entropy,
      rateWeights: this.tables.rate,
      lambda: this.tables.lambda,
      scratch: doubles(3 * groups),
      probabilities: doubles(classes),
    });
  }

  /** The parameters that everybody starts from: a function of the net and the seed alone. */
  start(seed: number): Float32Array {
    const values = new Float32Array(this.parameterCount);
    this.programme.parameters.forEach(({ offset, count, start }, layer) => {
      const layerSeed = derive(seed, layer);
      for (let i = 0; i < count; i++) {
        values[offset + i] = "constant" in start ? start.constant : start.bound * (2 * uniform(layerSeed, i) - 1);
      }
    });
    return values;
  }

  /** Copies examples into the crew's memory, where they stay until the crew is closed. */
  load({ n, features, labels, groups }: Examples): Loaded {
    const { arena } = this.crew;
    const loaded = {
      n,
      data: arena.allocate(n * this.features * 4),
      labels: arena.allocate(n),
      groups: arena.allocate(n),
    };
    new Float32Array(arena.memory.buffer, loaded.data, n * this.features).set(features);
    new Uint8Array(arena.memory.buffer, loaded.labels, n).set(labels);
    new Uint8Array(arena.memory.buffer, loaded.groups, n).set(groups);
    return loaded;
  }

  /** One epoch from the given parameters; the number of steps that were left out, their gradient not being finite. */
  train(parameters: Float32Array, loaded: Loaded, descent: Descent, signal?: AbortSignal) {
    return this.inTurn(async () => {
      this.prepare(parameters, loaded, descent.order);
      this.setLoss(descent.loss);
      this.job.set({ rate: descent.rate, clip: descent.clip, skipped: 0 });
      await this.run("train", descent.order.length, 3, descent.batch ?? this.batch, signal);
      return { parameters: this.parameters(), skipped: this.job.get("skipped") };
    });
  }

  /** For each person, the logit of each class but the first, less that of the first: of two classes one number, above 0 for a yes. */
  score(parameters: Float32Array, loaded: Loaded, signal?: AbortSignal): Promise<Float32Array> {
    return this.inTurn(async () => {
      this.prepare(parameters, loaded, inOrder(loaded.n));
      const length = loaded.n * (this.classes - 1);
      const scores = this.buffer("scores", length * 4);
      this.job.set({ scores });
      await this.run("score", loaded.n, 1, this.batch, signal);
      return new Float32Array(this.crew.arena.memory.buffer, scores, length).slice();
    });
  }

  /** Of the last batch that was trained on. */
  gradient(): Float32Array {
    return this.view(this.net.gradients).slice();
  }

  private prepare(parameters: Float32Array, loaded: Loaded, order: Uint32Array): void {
    this.view(this.net.parameters).set(parameters);
    const at = this.buffer("order", order.length * 4);
    new Uint32Array(this.crew.arena.memory.buffer, at, order.length).set(order);
    const { data, labels, groups } = loaded;
    this.job.set({ order: at, people: order.length, data, labels, groups });
  }

  private setLoss(term: LossTerm): void {
    const put = (at: number, values: Float64Array) =>
      new Float64Array(this.crew.arena.memory.buffer, at, values.length).set(values);
    this.loss.set({ kind: kinds[term.kind] });
    if (term.kind === "given") {
      put(this.tables.entropy, term.entropyWeights);
      put(this.tables.rate, term.rateWeights);
    } else {
      put(this.tables.lambda, Float64Array.of(...term.lambda, term.beta));
      this.loss.set({ reference: term.reference });
    }
  }

  private async run(
    kernel: "train" | "score",
    people: number,
    passes: number,
    batch: number,
    signal?: AbortSignal,
  ): Promise<void> {
    this.job.set({ batch });
    const batches = Math.ceil(people / batch);
    const each = Math.max(1, Math.floor(multiplicationsPerCall / (this.programme.multiplications * batch * passes)));
    for (let from = 0; from < batches; from += each) {
      if (signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
      await this.crew.call(kernel, this.job.at, from, Math.min(batches, from + each));
      // A crew on the calling thread blocks it: other work gets a turn between calls.
      if (from + each < batches) await turn();
    }
  }

  private parameters(): Float32Array {
    return this.view(this.net.parameters).slice();
  }

  private view(at: number): Float32Array {
    return new Float32Array(this.crew.arena.memory.buffer, at, this.parameterCount);
  }

  /** Parties take turns: there is one job in memory. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** A named piece of memory, made larger when needed. */
  private buffer(name: string, bytes: number): number {
    const known = this.buffers.get(name);
    if (known && known.bytes >= bytes) return known.at;
    if (known) this.crew.arena.release(known.at);
    const at = this.crew.arena.allocate(bytes);
    this.buffers.set(name, { at, bytes });
    return at;
  }
}

/** 0 to n - 1. */
export function inOrder(n: number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  return order;
}
