import { type Draw, numeric, text } from "./columns.js";
import { cumulate, Random } from "./random.js";

const sexes = ["F", "M", "X"];
const sexShares = cumulate([0.505, 0.48, 0.015]);

const ethnicities = ["A", "B", "C", "D", "E"];
const ethnicityShares = cumulate([0.62, 0.17, 0.12, 0.06, 0.03]);
/** Years of education and log income by ethnicity: the unfairness that a clustering inherits when nobody looks. */
const educationGap = [0.4, -1.1, -0.3, 1.6, -1.5];
const incomeGap = [0.08, -0.22, -0.1, 0.12, -0.3];

const regions = ["north", "east", "south", "west", "capital"];
/** Where each ethnicity lives. */
const regionShares = [
  [0.28, 0.22, 0.24, 0.18, 0.08],
  [0.1, 0.12, 0.38, 0.12, 0.28],
  [0.12, 0.34, 0.14, 0.22, 0.18],
  [0.1, 0.1, 0.12, 0.26, 0.42],
  [0.4, 0.1, 0.3, 0.14, 0.06],
].map(cumulate);
const regionGap = [-0.08, -0.05, -0.12, 0.05, 0.28];

const jobs = ["none", "manual", "service", "clerical", "technical", "professional", "management", "retired"];
const housings = ["rent", "mortgage", "own", "family"];

/** A population with an id, features, categories and protected columns that hang together as in a real register. */
export function population(n: number, seed: number): Draw {
  const random = new Random(seed);
  return (first, count) => draw(random, first, count, Math.max(7, String(n).length));
}

function draw(random: Random, first: number, n: number, digits: number): ReturnType<Draw> {
  const sex = new Uint8Array(n);
  const ethnicity = new Uint8Array(n);
  const region = new Uint8Array(n);
  const job = new Uint8Array(n);
  const housing = new Uint8Array(n);
  const values = () => new Float64Array(n);
  const [age, education, hours, tenure, income, balance, debts, visits] = Array.from({ length: 8 }, values);
  for (let i = 0; i < n; i++) {
    const s = random.choose(sexShares);
    const e = random.choose(ethnicityShares);
    const r = random.choose(regionShares[e]);
    const years = clamp(18 + 60 * random.uniform() ** 1.15 - (e === 0 ? 0 : 4) + (s === 0 ? 1.5 : 0), 18, 95);
    const schooling = clamp(Math.round(12.5 + educationGap[e] - (years - 45) / 30 + 2.6 * random.normal()), 4, 22);
    const retired = years > 63 + 3 * random.normal();
    const idle = !retired && random.uniform() < 0.16 - 0.008 * (schooling - 12) + (s === 0 ? 0.05 : 0);
    const ambition = random.normal();
    const working = !retired && !idle;
    const weekly = working ? clamp(Math.round(38 + (s === 0 ? -6 : 3) + 7 * random.normal()), 4, 80) : 0;
    job[i] = retired
      ? 7
      : idle
        ? 0
        : 1 + clamp(Math.round((schooling - 8) / 2 + 0.9 * ambition + (s === 1 ? 0.3 : 0)), 0, 5);
    const peak = 1 - ((years - 50) / 42) ** 2;
    const logIncome =
      9.9 +
      0.07 * (schooling - 12) +
      0.45 * peak +
      incomeGap[e] +
      regionGap[r] +
      0.12 * ambition +
      0.012 * (weekly - 36);
    const earned = Math.exp(logIncome - (s === 0 ? 0.17 : s === 2 ? 0.1 : 0) + 0.42 * random.normal());
    const wealth = earned * (0.1 + (0.5 * (years - 18)) / 60) * Math.exp(0.8 * random.normal());
    sex[i] = s;
    ethnicity[i] = e;
    region[i] = r;
    age[i] = Math.floor(years);
    education[i] = schooling;
    hours[i] = weekly;
    tenure[i] = Math.round(10 * Math.min(years - 17, -Math.log(random.uniform()) * (2 + years / 8))) / 10;
    income[i] = Math.round(working ? earned : 0.45 * earned);
    balance[i] = Math.round(100 * (wealth - 0.3 * earned * random.uniform())) / 100;
    debts[i] = Math.round(Math.max(0, 0.4 * earned * (1 - (years - 35) / 60) + 0.3 * earned * random.normal()));
    visits[i] = Math.floor(-Math.log(random.uniform()) * (1.5 + years / 20 + (s === 0 ? 1 : 0)));
    housing[i] =
      random.uniform() < 0.12 ? 3 : wealth > 1.1 * earned || years > 68 ? 2 : logIncome + 0.3 * ambition > 10.3 ? 1 : 0;
  }
  // P0000001, P0000002, …, wide enough that they sort as they count.
  const levels = Array.from({ length: n }, (_, i) => `P${String(first + i + 1).padStart(digits, "0")}`);
  return [
    { kind: "text", name: "person", codes: Int32Array.from(sex, (_, i) => i), levels, missing: 0 },
    text("sex", sex, sexes),
    text("ethnicity", ethnicity, ethnicities),
    text("region", region, regions),
    numeric("age", age),
    numeric("education", education),
    numeric("hours", hours),
    numeric("tenure", tenure),
    numeric("income", income),
    numeric("balance", balance),
    numeric("debts", debts),
    numeric("visits", visits),
    text("job", job, jobs),
    text("housing", housing, housings),
  ];
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
