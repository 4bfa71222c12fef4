import { cluster } from "../../src/algorithms/cluster.js";
import { generateTable, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";

const sizes = [50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000];

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

/** Beyond this many people the linear program is not tried: it would be most of the run. */
const mostByProgram = 200_000;

/** Section 5.3.2: k = 3, delta = 0.5, n_b = n/4, one process; people in the shape of Census 1990. */
export async function table4(bench: Bench): Promise<Sheet[]> {
  const { quick, n: most = quick ? 5000 : 5_000_000, seeds } = bench.options;
  const wanted = sizes.filter((n) => n <= most);
  const lines: Line[] = [];
  for (const n of wanted.length > 0 ? wanted : [most]) {
    for (const method of ["f3km", "fair-lp"] as const) {
      if (method === "fair-lp" && n > mostByProgram) continue;
      const runs: Run[] = [];
      for (const seed of seedsOf(seeds)) {
        bench.say(`${n.toLocaleString("en-US")} people by ${method}, seed ${seed} of ${seeds}`);
        runs.push(await time(bench, method, n, seed));
      }
      lines.push({ at: { method, n }, figures: figuresOf(method, n, runs) });
    }
  }
  return [{ title: "Seconds as people grow (k 3, delta 0.5)", lines, notes: notesOn(lines) }];
}

interface Run {
  readonly seconds: number;
  readonly violation: number;
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
  const beside = at < 0 ? undefined : { "paper, Census1990": Census1990[at], "paper, HMDA": HMDA[at] };
  const seconds = runs.map(({ seconds }) => seconds);
  const violations = runs.map(({ violation }) => violation);
  return {
    seconds: figure(seconds, "s", beside ? { beside } : {}),
    "people beyond": figure(violations, "people"),
  };
}

/** What reproduces, from the figures. */
function notesOn(lines: readonly Line[]): string[] {
  const seconds = (method: Method) =>
    lines.filter(({ at }) => at.method === method).map(({ figures }) => figures.seconds!);
  const f3km = seconds("f3km");
  const faster = f3km.flatMap((figure) => times(figure));
  const notes: string[] = [];
  if (faster.length > 0) {
    const [least, most] = [Math.min(...faster), Math.max(...faster)].map((ratio) => ratio.toPrecision(2));
    notes.push(`f3km takes between 1/${most} and 1/${least} of the paper's time (other data, other machine).`);
  }
  const pairs = seconds("fair-lp").map((program, at) => program.mean / f3km[at].mean);
  const slower = pairs.filter((ratio) => ratio > 1).length;
  notes.push(
    `fair-lp is slower than f3km at ${slower} of ${pairs.length} sizes; it is not tried beyond ${mostByProgram.toLocaleString("en-US")} people.`,
  );
  return notes;
}

/** How many times faster than each of the paper's. */
function times({ mean, beside = {} }: Figure): number[] {
  return Object.values(beside).flatMap((value) => (typeof value === "number" ? [value / mean] : []));
}
