import highsModule, { type Highs } from "highs";

// The package's types describe its CommonJS build, where the loader is a property; the ES module exports it directly.
const loadHighs = highsModule as unknown as typeof highsModule.default;

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

/** How hard to try. Nodes end a search at the same place on every machine; seconds only guard against the worst. */
export interface Effort {
  readonly seconds: number;
  readonly nodes: number;
}

export interface Answer {
  /** "feasible" is a solution that is not proven to be the best; "undecided" is the end of the effort without one. */
  readonly status: "optimal" | "feasible" | "infeasible" | "undecided";
  readonly values: Float64Array;
  readonly rowDuals: Float64Array;
  readonly objective: number;
}

export interface SolveOptions {
  readonly effort?: Effort;
  /** Ignore that columns are integers. */
  readonly relaxed?: boolean;
  /** Any solution will do. */
  readonly first?: boolean;
  /** Solutions closer to the best than this count as the best: just below 1 where objectives are whole numbers. */
  readonly gap?: number;
  /** The same as a share of the objective. */
  readonly relativeGap?: number;
}

/** Other values of the primal solution's status are "none" and "infeasible". */
const primalFeasible = 2;

let runtime: Promise<Highs> | undefined;

export async function solveProgram(program: LinearProgram, options: SolveOptions = {}): Promise<Answer> {
  runtime ??= loadHighs();
  const highs = await runtime;
  const { columns } = program;
  const rows = program.rowLower.length;
  const mixed = !options.relaxed && program.integer.includes(1);
  try {
    return highs.withModel((model): Answer => {
      model.options.set({ output_flag: false, primal_feasibility_tolerance: 1e-9, mip_feasibility_tolerance: 1e-9 });
      if (mixed) model.options.set({ mip_rel_gap: options.relativeGap ?? 0, mip_abs_gap: options.gap ?? 1e-6 });
      if (mixed && options.first) model.options.set({ mip_max_improving_sols: 1 });
      if (options.effort) {
        model.options.set({ time_limit: options.effort.seconds, mip_max_nodes: options.effort.nodes });
      }
      model.passModel({
        numCols: columns,
        numRows: rows,
        colCost: Float64Array.from(program.costs),
        colLower: Float64Array.from(program.columnLower),
        colUpper: Float64Array.from(program.columnUpper),
        rowLower: Float64Array.from(program.rowLower),
        rowUpper: Float64Array.from(program.rowUpper),
        matrix: {
          format: "csr",
          numRows: rows,
          numCols: columns,
          starts: Int32Array.from(program.starts),
          indices: Int32Array.from(program.indices),
          values: Float64Array.from(program.values),
        },
        ...(mixed ? { integrality: Int32Array.from(program.integer) } : {}),
      });
      const { modelStatus } = model.run();
      const known = highs.constants.modelStatus;
      // Every column of our programs is bounded or has a cost that holds it, so none is unbounded.
      const refused = modelStatus === known.infeasible || modelStatus === known.unboundedOrInfeasible;
      const solved = modelStatus === known.optimal || modelStatus === known.empty;
      const found = solved || (!refused && model.info.get("primal_solution_status") === primalFeasible);
      if (!found) {
        const none = new Float64Array(0);
        return { status: refused ? "infeasible" : "undecided", values: none, rowDuals: none, objective: Number.NaN };
      }
      const solution = model.getSolution();
      return {
        status: solved ? "optimal" : "feasible",
        values: solution.colValue,
        rowDuals: solution.rowDual,
        objective: model.getObjectiveValue(),
      };
    });
  } catch (error) {
    // A solver that ran out of memory leaves its heap in an unknown state: the next program gets a fresh one.
    runtime = undefined;
    throw error;
  }
}
