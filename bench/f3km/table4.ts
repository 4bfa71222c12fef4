import { cluster } from "../../src/algorithms/cluster.js";
import { generateTable, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";

/** The paper's, and with `--n` one beyond: how far fair-lp really goes. */
const sizes = [50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000];

/** Table 4, seconds; TLE is over an hour, SLE more people than the data has. */
const paper = {
  f3km: {
    Census1990: [30.4, 56.9, 124.1, 422.6, 1045.3, 1966.7, "SLE"],
    HMDA: [30.6, 48.8, 102.5, 328.1, 775.6, 1304.8, 3459.4],
  },
  "fair-lp": {
    Census1990: [35.7, 93.5, 261.8, 1722.6, "TLE", "TLE", "SLE"],
    HMDA: [14.7, 27.8, 161.4, 1201.8, "TLE", "TLE", "TLE"],
  },
} as const;
type Method = keyof typeof paper;

/** The paper's limit of an hour (TLE): a program that takes longer is stopped, and larger ones are not begun. */
const longest = 3600;

/** Section 5.3.2: k = 3, delta = 0.5, n_b = n/4, one process; people in the shape of Census 1990. */
export async function table4(bench: Bench): Promise<Sheet[]> {
  const { quick, n: most = quick ? 5000 : 5_000_000, seeds } = bench.options;
  const wanted = sizes.filter((n) => n <= most);
  const lines: Line[] = [];
  let failed: string | undefined;
  for (const n of wanted.length > 0 ? wanted : [most]) {
    for (const method of ["f3km", "fair-lp"] as const) {
      if (method === "fair-lp" && failed !== undefined) continue;
      const runs: Run[] = [];
      for (const seed of seedsOf(seeds)) {
        bench.say(`${n.toLocaleString("en-US")} people by ${method}, seed ${seed} of ${seeds}`);
        const run = await timed(bench, method, n, seed);
        if (typeof run !== "string") runs.push(run);
        else failed = run;
      }
      const remark = method === "fair-lp" && failed !== undefined ? { remark: failed } : {};
      lines.push({ at: { method, n }, figures: runs.length > 0 ? figuresOf(method, n, runs) : {}, ...remark });
    }
  }
  return [{ title: "Seconds as people grow (k 3, delta 0.5)", lines, notes: notesOn(lines, failed) }];
}

interface Run {
  readonly seconds: number;
  readonly violation: number;
}

/** A run, or why there is none. */
async function timed(bench: Bench, method: Method, n: number, seed: number): Promise<Run | string> {
  if (method === "f3km") return time(bench, method, n, seed);
  const late = AbortSignal.timeout(1000 * longest);
  try {
    return await time({ ...bench, signal: AbortSignal.any([bench.signal, late]) }, method, n, seed);
  } catch (error) {
    if (bench.signal.aborted || !(error instanceof Error)) throw error;
    return late.aborted ? `not done after ${longest} s` : `failed: ${error.message}`;
  }
}

async function time(bench: Bench, algorithm: Method, n: number, seed: number): Promise<Run> {
  const people = preparePeople(generateTable("census", { n, seed }), { protect: ["sex", "ageBand"] });
  const { threads } = bench.options;
  const { result } = await cluster(people, {
    algorithm,
    k: 3,
    delta: 0.5,
    block: 0.25,
    seed,
    threads,
    signal: bench.signal,
    clock: () => performance.now(),
  });
  return { seconds: result.seconds.total, violation: result.maxViolation };
}

function figuresOf(method: Method, n: number, runs: readonly Run[]): Line["figures"] {
  const at = sizes.indexOf(n);
  const { Census1990, HMDA } = paper[method];
  const isTheirs = at >= 0 && at < HMDA.length;
  const beside = isTheirs ? { "paper, Census1990": Census1990[at], "paper, HMDA": HMDA[at] } : undefined;
  const seconds = runs.map(({ seconds }) => seconds);
  const violations = runs.map(({ violation }) => violation);
  return {
    seconds: figure(seconds, "s", beside ? { beside } : {}),
    "people beyond": figure(violations, "people"),
  };
}

/** What reproduces, from the figures. */
function notesOn(lines: readonly Line[], failed: string | undefined): string[] {
  const seconds = (method: Method) =>
    lines.filter(({ at, figures }) => at.method === method && figures.seconds).map(({ figures }) => figures.seconds!);
  const f3km = seconds("f3km");
  const faster = f3km.flatMap((figure) => times(figure));
  const notes: string[] = [];
  if (faster.length > 0) {
    const [least, most] = [Math.min(...faster), Math.max(...faster)].map((ratio) => ratio.toPrecision(2));
    notes.push(`f3km takes between 1/${most} and 1/${least} of the paper's time (other data, other machine).`);
  }
  const pairs = seconds("fair-lp").map((program, at) => program.mean / f3km[at].mean);
  const slower = pairs.filter((ratio) => ratio > 1).length;
  const end = failed === undefined ? "it fails at none of them" : `at the next one it ends with: ${failed}`;
  notes.push(`fair-lp is slower than f3km at ${slower} of ${pairs.length} sizes; ${end}.`);
  return notes;
}

/** How many times faster than each of the paper's. */
function times({ mean, beside = {} }: Figure): number[] {
  return Object.values(beside).flatMap((value) => (typeof value === "number" ? [value / mean] : []));
}
