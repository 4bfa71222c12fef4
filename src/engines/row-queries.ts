import type { Thresholds } from "../parties/row-clusters.js";
import type { Measurement } from "../parties/row-people.js";
import { type Dialect, whole } from "./dialect.js";

/** Of one expression some engines know no least. */
export function least(expressions: readonly string[]): string {
  return expressions.length === 1 ? expressions[0] : `least(${expressions.join(", ")})`;
}

/** The bits that hold the number of one of k clusters. */
export function maskOf(k: number): number {
  return 2 ** Math.ceil(Math.log2(k)) - 1;
}

export function clusterNames(letter: string, k: number): string[] {
  return Array.from({ length: k }, (_, m) => letter + m);
}

/** |c|^2 - 2 x c for each centre, over a table of points. */
function scores({ points }: Dialect, centres: Float64Array, dims: number): string[] {
  return Array.from({ length: centres.length / dims }, (_, m) => {
    const centre = centres.subarray(m * dims, (m + 1) * dims);
    const square = centre.reduce((total, c) => total + c * c, 0);
    return `${whole(square)} + ${points.dot(centre.map((c) => (c === 0 ? 0 : -2 * c)))}`;
  });
}

/** Everybody's person and `cell`, the nearest centre: the least number, in whose lowest bits the centre is, ties to the lowest. */
export function nearestQuery(dialect: Dialect, points: string, centres: Float64Array, dims: number): string {
  const cells = centres.length / dims;
  const packed = scores(dialect, centres, dims).map((score, m) => `(${score}) * ${maskOf(cells) + 1} + ${m}`);
  const best = `(SELECT person, ${least(packed)} AS best FROM ${points}${dialect.fence}) AS compared`;
  return `SELECT person, best & ${maskOf(cells)} AS cell FROM ${best}`;
}

/** Everybody's person, pattern and cost in each cluster, c0..: the squared distance plus the kernels' jitter. */
export function costsQuery(dialect: Dialect, points: string, { centres, jitter }: Measurement, dims: number): string {
  const k = centres.length / dims;
  const distances = scores(dialect, centres, dims).map((score, m) => `square + ${score} AS c${m}`);
  const measured = `SELECT person, pattern, ${distances.join(", ")} FROM ${points}`;
  if (jitter === 0) return measured;
  // As src/kernels/jitter.ts, whose numbers have 32 bits without a sign here. Each step stands once, and the next one looks at it.
  const names = clusterNames("h", k);
  const kept = ["person", "pattern", ...clusterNames("c", k)].join(", ");
  const steps: ((h: string, m: number) => string)[] = [
    (_, m) => xor("h", `${Math.imul(m + 1, 0x85ebca77) >>> 0}`),
    (h) => xor(h, dialect.divide(h, 2 ** 15)),
    (h) => product32(h, 0x2c1b3c6d),
    (h) => xor(h, dialect.divide(h, 2 ** 12)),
    (h) => product32(h, 0x297a2d39),
    (h) => xor(h, dialect.divide(h, 2 ** 15)),
  ];
  const numbered = `SELECT ${kept}, (person + 1) % ${two32} AS h FROM (${measured}${dialect.fence}) AS measured`;
  let query = `SELECT ${kept}, ${product32("h", 0x9e3779b1)} AS h FROM (${numbered}${dialect.fence}) AS numbered`;
  for (const step of steps) {
    query = `SELECT ${kept}, ${names.map((h, m) => `${step(h, m)} AS ${h}`).join(", ")} FROM (${query}${dialect.fence}) AS mixed`;
  }
  const double = (value: number) => `CAST('${value}' AS ${dialect.types.double})`;
  const jittered = names.map((h, m) => {
    const part = `CAST(${h} AS ${dialect.types.double}) / ${double(two32)} * ${double(jitter)}`;
    return `c${m} + CAST(floor(${part}) AS BIGINT) AS c${m}`;
  });
  return `SELECT person, pattern, ${jittered.join(", ")} FROM (${query}${dialect.fence}) AS mixed`;
}

const two32 = 2 ** 32;

/** The lowest 32 bits of the product of such a number and a constant: no step reaches 2^63. */
function product32(h: string, factor: number): string {
  const [high, low] = [Math.floor(factor / 65_536), factor % 65_536];
  return `(${h} * ${whole(low)} + ${h} * ${whole(high)} % 65536 * 65536) % ${two32}`;
}

/** Of numbers that are not negative. */
function xor(a: string, b: string): string {
  return `(${a} + ${b} - 2 * (${a} & ${b}))`;
}

/** Prices of the patterns, as a table (priced, o0..), with each cluster in the lowest bits of its price. */
function pricesTable(offsets: Float64Array, k: number): string {
  const step = BigInt(maskOf(k) + 1);
  const rows = Array.from({ length: offsets.length / k }, (_, pattern) => {
    const own = Array.from(
      offsets.subarray(pattern * k, (pattern + 1) * k),
      (each, m) => BigInt(each) * step + BigInt(m),
    );
    return `(${[pattern, ...own].join(", ")})`;
  });
  return `(VALUES ${rows.join(", ")}) AS prices(priced, ${clusterNames("o", k).join(", ")})`;
}

/** Everybody's person, pattern, cluster of least cost and price, and cost there. */
export function assignedQuery({ fence }: Dialect, costs: string, offsets: Float64Array, k: number): string {
  const packed = clusterNames("c", k).map((c, m) => `${c} * ${maskOf(k) + 1} + o${m}`);
  const kept = ["person", "pattern", ...clusterNames("c", k)].join(", ");
  const compared = `SELECT ${kept}, ${least(packed)} AS best FROM ${costs} JOIN ${pricesTable(offsets, k)} ON pattern = priced`;
  const decided = `SELECT ${kept}, best & ${maskOf(k)} AS cluster FROM (${compared}${fence}) AS compared`;
  return `SELECT person, pattern, cluster, ${own(k)} AS cost FROM (${decided}${fence}) AS decided`;
}

/** The cost in one's cluster. */
function own(k: number): string {
  return `CASE cluster ${clusterNames("c", k)
    .map((c, m) => `WHEN ${m} THEN ${c}`)
    .join(" ")} END`;
}

/** Everybody with cell, pattern * k + cluster, and costs. */
function clustered({ fence }: Dialect, costs: string, labels: string, k: number): string {
  const kept = `costs.person, costs.pattern, cluster, costs.pattern * ${k} + cluster AS cell, ${clusterNames("c", k).join(", ")}`;
  return `(SELECT ${kept} FROM ${costs} AS costs JOIN ${labels} AS labels ON costs.person = labels.person${fence}) AS clustered`;
}

/** One move out of a cell, and the place of its thresholds in the list. */
interface RowMove {
  readonly cell: number;
  readonly to: number;
  readonly gap: string;
  readonly at: number;
}

function movesOf(moves: Uint32Array, k: number): RowMove[] {
  return Array.from(moves, (move, at) => {
    const cell = Math.floor(move / k);
    const to = move % k;
    return { cell, to, gap: `c${to} - c${cell % k}`, at };
  });
}

/** Whether a person is below a threshold. */
function isBelow({ types }: Dialect, gap: string, { gaps, persons }: Thresholds, at: number): string {
  const literal = (value: number) => (Number.isSafeInteger(value) ? `${value}` : `CAST('${value}' AS ${types.double})`);
  const limit = literal(gaps[at]);
  if (persons[at] === Number.MAX_SAFE_INTEGER) return `${gap} <= ${limit}`;
  return `(${gap} < ${limit} OR (${gap} = ${limit} AND person <= ${literal(persons[at])}))`;
}

/**
 * The people of each move by the first threshold that they are below: (move, step, people), in as many queries as one cell has
 * moves.
 */
export function belowQueries(
  dialect: Dialect,
  costs: string,
  labels: string,
  thresholds: Thresholds,
  k: number,
): { readonly sql: string; readonly moves: ReadonlyMap<number, number> }[] {
  const width = thresholds.gaps.length / Math.max(1, thresholds.moves.length);
  const layers: Map<number, RowMove>[] = [];
  for (const move of movesOf(thresholds.moves, k)) {
    const layer = layers.find((each) => !each.has(move.cell));
    if (layer) layer.set(move.cell, move);
    else layers.push(new Map([[move.cell, move]]));
  }
  return layers.map((layer) => {
    const moves = [...layer.values()];
    const gap = moves.map((move) => `WHEN ${move.cell} THEN ${move.gap}`).join(" ");
    const first = (at: number, low: number, high: number): string => {
      if (low === high) return String(low);
      const middle = (low + high) >> 1;
      const lower = isBelow(dialect, "gap", thresholds, at * width + middle);
      return `CASE WHEN ${lower} THEN ${first(at, low, middle)} ELSE ${first(at, middle + 1, high)} END`;
    };
    const step = moves.map(({ cell, at }) => `WHEN ${cell} THEN ${first(at, 0, width)}`).join(" ");
    const offered = `SELECT person, cell, CASE cell ${gap} END AS gap FROM ${clustered(dialect, costs, labels, k)}`;
    const stepped = `SELECT cell, CASE cell ${step} END AS step FROM (${offered}${dialect.fence}) AS offered WHERE gap IS NOT NULL`;
    return {
      sql: `SELECT cell, step, count(*) FROM (${stepped}) AS stepped GROUP BY cell, step`,
      moves: new Map(moves.map(({ cell, at }) => [cell, at])),
    };
  });
}

/** Everybody's person, pattern and cluster once those below the thresholds have moved; of several moves that to the highest cluster counts. */
export function transferredQuery(
  dialect: Dialect,
  costs: string,
  labels: string,
  thresholds: Thresholds,
  k: number,
): string {
  const moves = movesOf(thresholds.moves, k).sort((a, b) => b.to - a.to);
  const cases = moves.map(
    ({ cell, to, gap, at }) => `WHEN cell = ${cell} AND ${isBelow(dialect, `(${gap})`, thresholds, at)} THEN ${to}`,
  );
  const cluster = cases.length === 0 ? "cluster" : `CASE ${cases.join(" ")} ELSE cluster END`;
  return `SELECT person, pattern, ${cluster} AS cluster FROM ${clustered(dialect, costs, labels, k)}`;
}

/** The sum of everybody's silhouette, in units: clusters of one person, or of none, do not count. */
export function silhouetteQuery(
  dialect: Dialect,
  costs: string,
  labels: string,
  sizes: Float64Array,
  unit: number,
): string {
  const k = sizes.length;
  const { fence, types } = dialect;
  const double = (value: number) => `CAST('${value}' AS ${types.double})`;
  const counted = Array.from(sizes.keys()).filter((m) => sizes[m] > 1);
  const others = Array.from(sizes.keys()).filter((m) => sizes[m] > 0);
  const next = least(others.map((m) => `CASE WHEN cluster <> ${m} THEN c${m} END`));
  const root = (cost: string) => `sqrt(CAST(${cost} AS ${types.double}))`;
  const roots =
    `SELECT ${root(own(k))} AS a, ${root(next)} AS b FROM ${clustered(dialect, costs, labels, k)} ` +
    `WHERE cluster IN (${counted.join(", ")})`;
  const parts = `SELECT (b - a) / greatest(a, b) / ${double(unit)} AS z FROM (${roots}${fence}) AS roots WHERE greatest(a, b) > 0`;
  return `SELECT CAST(COALESCE(sum(${roundedUp("z", types.double)}), 0) AS BIGINT) FROM (${parts}${fence}) AS parts`;
}

/** The nearest whole number, halves up, as `Math.round`: adding a half first would round twice. */
export function roundedUp(z: string, double: string): string {
  return `CAST(floor(${z}) + CASE WHEN ${z} - floor(${z}) >= CAST('0.5' AS ${double}) THEN 1 ELSE 0 END AS BIGINT)`;
}

/** The nearest whole number, halves to the even one, as kernels round. */
export function roundedEven(z: string, double: string): string {
  const half = `CAST('0.5' AS ${double})`;
  return `CAST(CASE WHEN ${z} - floor(${z}) = ${half} THEN 2 * floor((floor(${z}) + 1) / 2) ELSE floor(${z} + ${half}) END AS BIGINT)`;
}
