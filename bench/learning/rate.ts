import { derive, uniform } from "../../src/solver/seeded-chance.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";
import { dual, gradientOf, lowestRisk, type Party, type Person, riskOf } from "./primal-risk.js";

/** People of a party, numbers of a person (the last is 1), parties, and the penalty of FFALM's Table I. */
const shape = { people: 200, numbers: 6, parties: 5 } as const;
/** The first length of a step, and after how many rounds it is half of that: 2 / (mu t) of the theorem, from where it is stable. */
const step = { first: 0.5, half: 40 } as const;
/** eta_lambda is this over t^(2/3): the theorem's 16 kappa^2 / mu would throw lambda from one end to the other. */
const dualStep = 1;
/** The slope is of rounds from here on: before, the start is still forgotten. */
const firstRound = 16;

const kinds = [
  { name: "one step of everybody", steps: 1, batch: shape.people },
  { name: "five steps of 32 people", steps: 5, batch: 32 },
] as const;

/** How fast the primal risk of FFALM falls with the number of rounds, where the theorem says T^(-2/3). */
export async function rate(bench: Bench): Promise<Sheet[]> {
  const { quick, seeds } = bench.options;
  const last = quick ? 64 : 4096;
  const rounds = Array.from({ length: Math.log2(last) + 1 }, (_, i) => 2 ** i);
  const gaps: Line[] = [];
  const slopes: Line[] = [];
  for (const kind of kinds) {
    const found: number[][] = [];
    for (const seed of seedsOf(seeds)) {
      bench.say(`${kind.name}, seed ${seed} of ${seeds}`);
      const parties = peopleOf(seed);
      const risks = run(parties, kind, rounds, seed);
      const least = Math.min(lowestRisk(parties), ...risks);
      // The lowest risk may be a run's own: what is left of it is rounding.
      found.push(risks.map((risk) => Math.max(risk - least, 1e-12)));
    }
    rounds.forEach((round, i) => {
      const values = found.map((each) => each[i]);
      gaps.push({ at: { steps: kind.name, T: round }, figures: { "R less the lowest found": figure(values, "") } });
    });
    const each = found.map((values) => slopeOf(rounds, values));
    const { mean, sd } = figure(each, "");
    const half = (student(each.length) * sd) / Math.sqrt(each.length);
    const beside = {
      "95% interval": each.length > 1 ? `${(mean - half).toFixed(2)} to ${(mean + half).toFixed(2)}` : "",
    };
    slopes.push({ at: { steps: kind.name }, figures: { slope: figure(each, "", { beside }) } });
  }
  const about = `${shape.parties} parties of ${shape.people} invented people, logistic regression`;
  return [
    {
      title: `Theorem 1: slope of log(R(w_T) less the lowest R found) against log T, from T = ${firstRound}; ${about}`,
      lines: slopes,
      notes: [
        `R(w) is the largest augmented Lagrangian over |lambda| <= ${dual.most}: the mean loss, plus ${dual.most} times the absolute mean difference, plus the penalty.`,
        "The theorem's bound is a slope of -0.67 and assumes a Lagrangian that is strongly concave in lambda. FFALM's is linear in lambda, so the theorem does not apply to it, and a slope that was measured proves no rate.",
      ],
    },
    { title: "R(w_T) less the lowest R found", lines: gaps, notes: [] },
  ];
}

/** Two groups of which the second has other reasons for a yes, and more chance in it. */
function peopleOf(seed: number): Party[] {
  return Array.from({ length: shape.parties }, (_, party) => {
    const draw = derive(seed, party);
    const normal = (i: number) =>
      Math.sqrt(-2 * Math.log(1 - uniform(draw, 2 * i))) * Math.cos(2 * Math.PI * uniform(draw, 2 * i + 1));
    return Array.from({ length: shape.people }, (_, person): Person => {
      const own = (i: number) => normal(person * 16 + i);
      const x = Array.from({ length: shape.numbers }, (_, j) => (j === shape.numbers - 1 ? 1 : own(j)));
      const group = own(8) > 0.5 ? 1 : 0;
      const lean = group === 0 ? x[0] + x[1] : x[0] - 0.5 * x[1] + 0.3;
      return { x, group, label: lean + (group === 0 ? 0.5 : 1.5) * own(9) > 0 ? 1 : 0 };
    });
  });
}

/** Algorithm 1, with the steps of the theorem; R after each of the rounds. */
function run(
  parties: readonly Party[],
  { steps, batch }: (typeof kinds)[number],
  rounds: readonly number[],
  seed: number,
) {
  let w = new Float64Array(shape.numbers);
  let lambda = 0;
  const risks: number[] = [];
  for (let t = 1; t <= rounds[rounds.length - 1]; t++) {
    const rate = step.first / (1 + t / step.half);
    const sums = { w: new Float64Array(shape.numbers), lambda: 0 };
    parties.forEach((people, party) => {
      let own = w;
      for (let k = 0; k < steps; k++) {
        const draw = derive(derive(seed, 1000 + party), t * steps + k);
        const chosen =
          batch === people.length
            ? people
            : Array.from({ length: batch }, (_, i) => people[Math.floor(uniform(draw, i) * people.length)]);
        const { gradient } = gradientOf(own, lambda, chosen);
        own = own.map((value, j) => value - rate * gradient[j]);
      }
      const { difference } = gradientOf(own, lambda, people);
      own.forEach((value, j) => {
        sums.w[j] += value / parties.length;
      });
      sums.lambda += (lambda + (dualStep / t ** (2 / 3)) * difference) / parties.length;
    });
    w = sums.w;
    lambda = Math.min(dual.most, Math.max(-dual.most, sums.lambda));
    if (rounds.includes(t)) risks.push(riskOf(w, parties));
  }
  return risks;
}

/** Of a line through the logarithms, by least squares. */
function slopeOf(rounds: readonly number[], gaps: readonly number[]): number {
  const points = rounds.flatMap((round, i) => (round < firstRound ? [] : [[Math.log(round), Math.log(gaps[i])]]));
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const sum = (of: (point: number[]) => number) => points.reduce((all, point) => all + of(point), 0);
  return sum(([a, b]) => (a - x) * (b - y)) / sum(([a]) => (a - x) ** 2);
}

/** 97.5% of Student's distribution, with as many degrees of freedom as there are runs, less one: to 0.5% from 4 runs on. */
function student(runs: number): number {
  const f = Math.max(1, runs - 1);
  return 1.96 + 2.37 / f + 2.82 / f ** 2 + 2.55 / f ** 3;
}
