// The thread in which HiGHS runs: one program after the other, each answered before the next one is sent.
import highsModule, { type Highs } from "highs";
import { bytesOf } from "../host/base64.js";
import { answer, serve } from "../host/worker.js";
import type { ProgramAnswer, ProgramTask } from "./programs.js";

/** Other values of the primal solution's status are "none" and "infeasible". */
const primalFeasible = 2;

/** How the solver's loader is given its program, beside what its types tell of. */
interface Embedded {
  instantiateWasm(imports: object, instantiated: (instance: WebAssembly.Instance) => void): object;
}

let solver: Promise<Highs>;

// The first message is HiGHS itself, compressed.
serve(async (message) => {
  if (typeof message === "string") solver = load(message);
  else answer(solve(await solver, message as ProgramTask));
});

async function load(text: string): Promise<Highs> {
  const unpacked = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const program = new WebAssembly.Module(new Uint8Array(await new Response(unpacked).arrayBuffer()));
  const embedded: Embedded = {
    instantiateWasm: (imports, instantiated) => {
      const instance = new WebAssembly.Instance(program, imports as Record<string, never>);
      instantiated(instance);
      return instance.exports;
    },
  };
  return highsModule.default(embedded as object);
}

function solve(highs: Highs, { columns, rows, options, mixed, ...task }: ProgramTask): ProgramAnswer {
  return highs.withModel((model): ProgramAnswer => {
    model.options.set({ output_flag: false, primal_feasibility_tolerance: 1e-9, mip_feasibility_tolerance: 1e-9 });
    if (mixed) model.options.set({ mip_rel_gap: options.relativeGap ?? 0, mip_abs_gap: options.gap ?? 1e-6 });
    if (mixed && options.first) model.options.set({ mip_max_improving_sols: 1 });
    model.passModel({
      numCols: columns,
      numRows: rows,
      colCost: task.costs,
      colLower: task.columnLower,
      colUpper: task.columnUpper,
      rowLower: task.rowLower,
      rowUpper: task.rowUpper,
      matrix: {
        format: "csr",
        numRows: rows,
        numCols: columns,
        starts: task.starts,
        indices: task.indices,
        values: task.values,
      },
      ...(mixed ? { integrality: task.integer } : {}),
    });
    const known = highs.constants.modelStatus;
    const mostIterations = (options.work ?? Number.POSITIVE_INFINITY) / (rows + columns);
    if (!mixed && options.work) model.options.set({ simplex_iteration_limit: Math.ceil(mostIterations) });
    let iterations = 0;
    const { modelStatus } = model.run({
      [highs.constants.callbackType.mipInterrupt]: (event) => {
        iterations = Number(event.data.mip_total_lp_iterations ?? 0);
        if (iterations > mostIterations) event.interrupt();
      },
    });
    const made = Math.max(iterations, Number(model.info.get("simplex_iteration_count")));
    const work = made * (rows + columns);
    // Every column of our programs is bounded or has a cost that holds it, so none is unbounded.
    const refused = modelStatus === known.infeasible || modelStatus === known.unboundedOrInfeasible;
    const solved = modelStatus === known.optimal || modelStatus === known.empty;
    const found = solved || (!refused && model.info.get("primal_solution_status") === primalFeasible);
    if (!found) {
      const none = new Float64Array(0);
      return {
        status: refused ? "infeasible" : "undecided",
        values: none,
        rowDuals: none,
        objective: Number.NaN,
        work,
      };
    }
    const solution = model.getSolution();
    return {
      status: solved ? "optimal" : "feasible",
      values: solution.colValue,
      rowDuals: solution.rowDual,
      objective: model.getObjectiveValue(),
      work,
    };
  });
}
