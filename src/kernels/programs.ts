import { cancelled } from "../errors.js";
import { host, type Thread } from "../host/index.js";

/** A linear or integer program under construction: rows lower <= a x <= upper, columns with bounds, minimised. */
export class LinearProgram {
  readonly costs: number[] = [];
  readonly columnLower: number[] = [];
  readonly columnUpper: number[] = [];
  readonly integer: number[] = [];
  readonly rowLower: number[] = [];
  readonly rowUpper: number[] = [];
  readonly starts: number[] = [0];
  readonly indices: number[] = [];
  readonly values: number[] = [];

  addColumn(cost: number, lower: number, upper: number, integer: boolean): number {
    this.columnLower.push(lower);
    this.columnUpper.push(upper);
    this.integer.push(integer ? 1 : 0);
    return this.costs.push(cost) - 1;
  }

  /** The entries of the row are pushed by `addEntry` before it is closed here. */
  closeRow(lower: number, upper: number): number {
    this.starts.push(this.indices.length);
    this.rowLower.push(lower);
    return this.rowUpper.push(upper) - 1;
  }

  addEntry(column: number, value: number): void {
    this.indices.push(column);
    this.values.push(value);
  }

  get columns(): number {
    return this.costs.length;
  }
}

export interface ProgramAnswer {
  /** "feasible" is a solution that is not proven to be the best; "undecided" is the end of the effort without one. */
  readonly status: "optimal" | "feasible" | "infeasible" | "undecided";
  readonly values: Float64Array;
  readonly rowDuals: Float64Array;
  readonly objective: number;
  /** What it took, as `SolveOptions` counts it. */
  readonly work: number;
}

/** Work that several programs have together. */
export interface SharedWork {
  left: number;
  /** What it takes to begin with a program. */
  readonly begin: number;
}

export interface SolveOptions {
  /**
   * The most work on a program: simplex iterations times rows and columns. A hundred million take about half a minute. Unlike a
   * time limit it ends the search at the same point on every machine.
   */
  readonly work?: number;
  /** Each of several programs takes its work off this, and has no more than is left: without any it is undecided. */
  readonly shared?: SharedWork | undefined;
  /** Ignore that columns are integers. */
  readonly relaxed?: boolean;
  /** Any solution will do. */
  readonly first?: boolean;
  /** Solutions this close to the optimum are accepted: just below 1 where objectives are whole numbers. */
  readonly gap?: number;
  /** The same as a share of the objective. */
  readonly relativeGap?: number;
}

/** What is sent to the solver's thread. */
export type ProgramTask = ReturnType<typeof taskOf>;

/** Threads that wait for a program. They are kept, as starting one takes longer than most programs do. */
const idle: Thread[] = [];

/**
 * Solves a program by HiGHS in a thread of its own: the solver cannot be asked to stop, a thread can. Throws "cancelled"
 * as soon as the signal is aborted. The same program and options have the same answer on every machine.
 */
export async function solveProgram(
  program: LinearProgram,
  { shared, ...options }: SolveOptions = {},
  signal?: AbortSignal,
): Promise<ProgramAnswer> {
  if (shared) {
    const none = new Float64Array(0);
    if (shared.left <= 0) return { status: "undecided", values: none, rowDuals: none, objective: Number.NaN, work: 0 };
    const work = Math.min(options.work ?? Number.POSITIVE_INFINITY, shared.left);
    const answer = await solveProgram(program, { ...options, work }, signal);
    shared.left -= shared.begin + answer.work;
    return answer;
  }
  const thread = idle.pop() ?? (await host.startSolver());
  if (signal?.aborted) {
    void thread.stop();
    throw cancelled();
  }
  const answer = new Promise<ProgramAnswer>((resolve, reject) => {
    const stop = () => finish(() => reject(cancelled()), false);
    const finish = (settle: () => void, reusable: boolean) => {
      signal?.removeEventListener("abort", stop);
      // Nothing waits for an idle thread: the process may end.
      thread.keepAlive(false);
      if (reusable) idle.push(thread);
      else void thread.stop();
      settle();
    };
    signal?.addEventListener("abort", stop);
    thread.onMessage = (found) => finish(() => resolve(found as ProgramAnswer), true);
    // A solver that ran out of memory ends its thread: the next program gets a fresh one.
    thread.onFailure = (error) => finish(() => reject(error), false);
    thread.keepAlive(true);
  });
  const task = taskOf(program, options);
  thread.post(task, buffersOf(task));
  return answer;
}

function taskOf(program: LinearProgram, options: SolveOptions) {
  return {
    options,
    mixed: !options.relaxed && program.integer.includes(1),
    columns: program.columns,
    rows: program.rowLower.length,
    costs: Float64Array.from(program.costs),
    columnLower: Float64Array.from(program.columnLower),
    columnUpper: Float64Array.from(program.columnUpper),
    integer: Int32Array.from(program.integer),
    rowLower: Float64Array.from(program.rowLower),
    rowUpper: Float64Array.from(program.rowUpper),
    starts: Int32Array.from(program.starts),
    indices: Int32Array.from(program.indices),
    values: Float64Array.from(program.values),
  };
}

function buffersOf(task: ProgramTask): ArrayBuffer[] {
  return Object.values(task).flatMap((value) =>
    value instanceof Float64Array || value instanceof Int32Array ? [value.buffer] : [],
  );
}
