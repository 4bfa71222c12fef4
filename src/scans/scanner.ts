import type { ClusterResult } from "../algorithms/types.js";

/**
 * People who are only scanned: a table that does not fit in memory, or that stays in a database. Whoever can answer the
 * questions below can be clustered by `src/scans/`; all answers are exact, so that every scanner leads to the same labels.
 *
 * Rules for every scanner:
 * - A number is an IEEE double, whatever its type in the source (REAL and DECIMAL are cast first; a boolean is 0 or 1; a date
 *   is its whole days since 1970-01-01). `floor` is the mathematical one, also for negative numbers.
 * - A value is missing when it is NULL or NaN. Infinity is neither missing nor a number: see `ColumnExtent.notFinite`.
 * - Everything that is called whole below is a whole number of magnitude below 2^53 (checked by the driver before it asks),
 *   and fits a BIGINT in every intermediate step that is written here.
 * - Every answer covers every row. A scan that was cut short is an error, never an answer.
 */
export interface Scanner {
  /** What messages call the source. */
  readonly name: string;
  /** What a result calls this way of looking at people. */
  readonly method: Exclude<ClusterResult["method"], "in-memory">;
  /** Whether rows have numbers (from 0, in an order that never changes): without them an id column is needed. */
  readonly numbered: boolean;
  /** The table's columns in its order, without looking at all rows. */
  columns(): Promise<readonly ScannedColumn[]>;
  /** One scan of the source, as it is. */
  survey(request: SurveyRequest): Promise<Survey>;
  /** One scan of the source: everybody becomes a point of whole numbers. What follows looks at these points only. */
  open(space: ScanSpace): Promise<ScannedPeople>;
  /** Ends whatever is under way and removes all that was made. */
  close(): Promise<void>;
}

export interface ScannedColumn {
  readonly name: string;
  /** Numbers are features by default; a boolean or a date is one where it is named; text never is. */
  readonly kind: "numeric" | "text" | "boolean" | "date";
  /** The source holds 32-bit floats: as a group or level a number is then written as the shortest text that reads back as the same 32 bits. */
  readonly single?: boolean;
  /** A column of texts: what each of them spells. It is a feature where it is named. */
  readonly spells?: "number" | "boolean" | "date";
  /**
   * A column of texts that looks like one of numbers, and cannot be read as such: by its marks, which may stand before decimals or
   * between thousands; or by so many cells that are no numbers.
   */
  readonly doubt?: "marks" | { readonly cells: number; readonly of: number };
  /** The source's type has whole numbers only. */
  readonly whole?: boolean;
}

/** A value as it is told: numbers of numeric columns, else text (true or false, YYYY-MM-DD); null where it is missing. */
export type ScannedValue = number | string | null;

/** What groups or levels are made of: a column's values, or the intervals that cuts make of its numbers. */
export interface TallyKey {
  readonly column: string;
  /**
   * Ascending. The value of a row is then the number of cuts that are at or below its number: 0 to cuts.length; null where
   * the number is missing.
   */
  readonly cuts?: readonly number[];
}

export interface SurveyRequest {
  /** Rows without a missing value in these columns are people; with an empty list all rows are. */
  readonly complete: readonly string[];
  /** Columns of any kind to look at. */
  readonly columns: readonly string[];
  /** Columns of which the different values are counted, among people, missing ones left out. */
  readonly distinct: readonly string[];
  /** Numbers of people and other rows for each combination of values that occurs; often a scan of these columns alone. */
  readonly tallies: readonly TallyRequest[];
  /** Sums over people of u = floor((x - shift) / step + 0.5), missing values left out, each person as often as they count. */
  readonly moments: readonly MomentRequest[];
  readonly weights?: ScanWeights;
}

/** How many people a row counts for: max(1, floor(v / unit + 0.5)), whole; `unit` is a power of 2. Absent where everybody counts for one. */
export interface ScanWeights {
  readonly column: string;
  readonly unit: number;
}

export interface TallyRequest {
  /** With an empty list there is one combination, of no values. */
  readonly keys: readonly TallyKey[];
  /** Where more combinations occur, none are told. */
  readonly most: number;
}

interface MomentRequest {
  readonly column: string;
  readonly shift: number;
  readonly step: number;
}

export interface Survey {
  /** All rows, and those that are people. */
  readonly rows: number;
  readonly people: number;
  /** One for each of the request's, in its order; the same below. */
  readonly columns: readonly ColumnExtent[];
  readonly distinct: readonly number[];
  readonly tallies: readonly Tallied[];
  readonly moments: readonly WholeSums[];
}

export interface ColumnExtent {
  /** Over all rows. */
  readonly missing: number;
  /** Over all rows: plus or minus infinity; 0 for text. */
  readonly notFinite: number;
  /** Over people with a known, finite value; of no meaning where there are none (`known` is 0), and for text. */
  readonly least: number;
  readonly most: number;
  /** Whether all of these are whole numbers; false for text. */
  readonly whole: boolean;
  /** People whose value is known. */
  readonly known: number;
}

export interface Tallied {
  /** In any order. Empty where there are more than the request's `most`. */
  readonly cells: readonly TalliedCell[];
  readonly tooMany: boolean;
}

export interface TalliedCell {
  /** One for each key. */
  readonly values: readonly ScannedValue[];
  readonly people: number;
  /** Rows of the combination that are nobody (see `complete`). */
  readonly others: number;
  /** What its people count for. */
  readonly weight: number;
}

/** Whole numbers; what is too large for a double is the nearest one. */
interface WholeSums {
  /** What they count for whose value is known. */
  readonly people: number;
  /** Of u, and of u * u. */
  readonly sum: number;
  readonly squares: number;
}

/** How rows become points. */
export interface ScanSpace {
  readonly complete: readonly string[];
  readonly dimensions: readonly ScanDimension[];
  /** What patterns are made of; empty where nothing is protected. */
  readonly keys: readonly TallyKey[];
  /** A person's pattern is the place of their values here; another combination is an error: the source has changed. */
  readonly patterns: readonly (readonly ScannedValue[])[];
  readonly id: ScanId;
  readonly weights?: ScanWeights;
}

export type ScanDimension =
  /** x = floor(((v - shift) / scale) * unit + 0.5), in this order, in doubles; `unit` is a power of 2; v is `mean` where it is missing. */
  | {
      readonly kind: "numeric";
      readonly column: string;
      readonly shift: number;
      readonly scale: number;
      readonly unit: number;
      readonly mean: number;
    }
  /** x = `own` (whole) for people with this value, else 0. */
  | { readonly kind: "level"; readonly column: string; readonly level: ScannedValue; readonly own: number };

/**
 * What tells people apart, as the whole number `hash`:
 * - number: `wholeHash` of a column of whole numbers of magnitude below 2^50, or of the row's number;
 * - text: the first 13 hexadecimal digits of the MD5 of the id's text in UTF-8, as a number.
 */
export type ScanId =
  | { readonly kind: "row" }
  | { readonly kind: "number"; readonly column: string }
  | { readonly kind: "text"; readonly column: string };

/**
 * Points of whole numbers, each with a pattern and a hash. One scan answers each question. Where people have weights, whatever is
 * called a count or a sum has each of them as often as they count.
 */
export interface ScannedPeople {
  /** How many there are, whatever they count for. */
  readonly people: number;
  /** [patterns] */
  readonly counts: Float64Array;
  /**
   * The sum over people of |x|^2 = the sum of all x_j * x_j, told as two whole sums: that of floor(|x|^2 / 2^20), and that of the
   * remainders.
   */
  readonly squares: readonly [high: number, low: number];
  /** [dimensions] */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** The people whose hash is below this, in any order. */
  sample(below: number): Promise<SampledPoints>;
  /**
   * Of the people whose hash is below this, in any order: the scores without offsets (jitter included). Here and at a border all k
   * scores of a person may be more or less by one number, which is their own: only differences decide.
   */
  scores(below: number, decision: Pick<ScanDecision, "centres" | "jitter">): Promise<ScannedScores>;
  /**
   * With s[m] = score + offset of a person, and b the lowest cluster of the least s: one by one the people of whom any other s[m] is at most
   * s[b] + reach[m] of their pattern, and those whose pattern and b are `whole`; all others counted by pattern and b. Movers do not count.
   */
  border(decision: ScanDecision, widths: ScanWidths): Promise<ScanBorder>;
  sums(decision: ScanDecision, movers: ScanMovers): Promise<ScanSums>;
  /** Tells everybody's cluster to `sink`, part by part, in any order. The people of each cluster that were told. */
  labels(decision: ScanDecision, movers: ScanMovers, sink: LabelSink): Promise<Float64Array>;
  close(): Promise<void>;
}

/**
 * Everybody goes to the lowest cluster m of least s[m] = score + offset, all whole:
 * score = |c_m|^2 - 2 * (sum of x_j * c_m_j) + jitterOf(hash, m, jitter).
 */
export interface ScanDecision {
  readonly k: number;
  /** [k][dimensions], whole. */
  readonly centres: Float64Array;
  /** [patterns][k], whole. */
  readonly offsets: Float64Array;
  /** 0 to 2^31 - 1, whole. */
  readonly jitter: number;
}

/** Who is looked at one by one: people for whom another cluster is near, and all of some clusters. */
export interface ScanWidths {
  /** [patterns][k], whole, not negative: how near each cluster is to be. */
  readonly reach: Float64Array;
  /** [patterns][k]: 1 where everybody of the pattern in this cluster is wanted. */
  readonly whole: Uint8Array;
}

/** People who do not go where prices say: those with a hash of the list go to its cluster. Hashes ascend and are all different. */
export interface ScanMovers {
  readonly hashes: Float64Array;
  readonly clusters: Uint16Array;
}

export interface SampledPoints {
  readonly hashes: Float64Array;
  readonly patterns: Uint16Array;
  /** What each counts for, where people have weights. */
  readonly weights?: Float64Array;
  /** [people][dimensions] */
  readonly points: Int32Array;
}

export interface ScannedScores {
  readonly hashes: Float64Array;
  readonly patterns: Uint16Array;
  readonly weights?: Float64Array;
  /** [people][k], without offsets. */
  readonly scores: Float64Array;
}

export interface ScanBorder extends ScannedScores {
  /** [patterns][k]: the people beyond the border. */
  readonly counts: Float64Array;
}

export interface ScanSums {
  /** [k]: how many people there are, whatever they count for. */
  readonly people: Float64Array;
  /** [patterns][k] */
  readonly counts: Float64Array;
  /** [k][dimensions] */
  readonly sums: Float64Array;
}

/** Takes labels in as they come. */
export interface LabelSink {
  /** A new table beside the people, where they are in a database: labels are written there, and nothing is told to `write`. */
  readonly table?: string;
  write(part: LabelledPart): Promise<void>;
}

interface LabelledPart {
  /** The id of each person as text; or the row's number, where there is no id. */
  readonly ids: readonly string[] | Float64Array;
  readonly clusters: Uint16Array;
}

/** The largest prime below 2^26: products of two numbers below it, and a third, stay below 2^53. */
const prime = 67_108_859;

const hashRounds = [12_345_677, 40_503_011, 28_411_979];

/** Hashes of each kind are below this. */
export const hashRange = { number: prime ** 2, text: 2 ** 52 } as const;

/**
 * A hash of a whole number of magnitude below 2^50; different numbers have different ones. In SQL, over BIGINT:
 *   u = CASE WHEN id >= 0 THEN 2 * id ELSE -2 * id - 1 END; a = u / q (whole division); b = u % q, with q = 67108859;
 *   three times, with c = 12345677, 40503011 and 28411979: (a, b) becomes (b, (a + b * ((b + c) % q)) % q);
 *   hash = a * q + b.
 * Each b * (...) is below 2^52, and so is the hash.
 */
export function wholeHash(id: number): number {
  const whole = id >= 0 ? 2 * id : -2 * id - 1;
  let a = Math.floor(whole / prime);
  let b = whole % prime;
  for (const round of hashRounds) {
    const next = (a + b * ((b + round) % prime)) % prime;
    a = b;
    b = next;
  }
  return a * prime + b;
}

/** The number whose hash this is. */
export function idOfHash(hash: number): number {
  let a = Math.floor(hash / prime);
  let b = hash % prime;
  for (const round of [...hashRounds].reverse()) {
    const before = (b + prime - ((a * ((a + round) % prime)) % prime)) % prime;
    b = a;
    a = before;
  }
  const whole = a * prime + b;
  return whole % 2 === 0 ? whole / 2 : -(whole + 1) / 2;
}

/** 2^31 - 1 is a prime. */
const jitterPrime = 2_147_483_647;

/** What a cluster multiplies hashes by: below 2^21, so that the product with a number below 2^31 is below 2^52. */
export function jitterFactor(cluster: number): number {
  return 1 + (((cluster + 1) * 1_664_525) % 2_097_143);
}

/**
 * A fixed whole number from 0 to below the amplitude that keeps duplicates apart. In SQL, over BIGINT:
 *   (((hash % 2147483647) * jitterFactor) % 2147483647) % amplitude; 0 where the amplitude is 0.
 */
export function jitterOf(hash: number, cluster: number, amplitude: number): number {
  if (amplitude === 0) return 0;
  return (((hash % jitterPrime) * jitterFactor(cluster)) % jitterPrime) % amplitude;
}
