import { MoietyError } from "../errors.js";
import type { Roles } from "../table/choose.js";
import { dominanceWarnings } from "../table/dominance.js";
import { categoricalEncoding, numericEncoding, weightOfCategory } from "../table/people.js";
import type { Encoding, Moments, PeopleOptions } from "../table/types.js";
import type { SurveyedGroups } from "./groups.js";
import type { ScanDimension } from "./scanner.js";

/** A dimension that waits for the grid. */
interface DrawnDimension {
  readonly name: string;
  readonly onGrid: (unit: number) => ScanDimension;
}

/** How columns become dimensions, from what all people are like. */
export function encode(
  roles: Roles,
  { scale = "standard", ...options }: PeopleOptions,
  moments: ReadonlyMap<string, Moments>,
  levels: SurveyedGroups["levels"],
  people: number,
) {
  const encodings: Encoding[] = [];
  const dimensions: DrawnDimension[] = [];
  const constant: string[] = [];
  const weight = weightOfCategory(options, roles.categorical.length);
  const spreads = new Map<string, { variance: number; categorical: boolean }>();
  let largest = 0;
  for (const { name: column } of roles.features) {
    const found = moments.get(column)!;
    const encoding = numericEncoding(column, found, scale, roles.featuresNamed);
    if (encoding === undefined) {
      constant.push(column);
      continue;
    }
    encodings.push(encoding);
    const { shift, scale: width, mean } = encoding;
    largest += Math.max(Math.abs(found.min - shift), Math.abs(found.max - shift)) ** 2 / width ** 2;
    spreads.set(column, { variance: (found.deviation / width) ** 2, categorical: false });
    const onGrid = (unit: number) => ({ kind: "numeric" as const, column, shift, scale: width, unit, mean });
    dimensions.push({ name: column, onGrid });
  }
  roles.categorical.forEach(({ name: column }, at) => {
    const names = levels[at].map(({ level }) => level);
    encodings.push(categoricalEncoding(column, names, weight));
    let variance = 0;
    levels[at].forEach(({ value, people: members }, index) => {
      const share = members / people;
      largest += weight ** 2;
      variance += weight ** 2 * share * (1 - share);
      const onGrid = (unit: number) => {
        return { kind: "level" as const, column, level: value, own: Math.floor(weight * unit + 0.5) };
      };
      dimensions.push({ name: `${column}=${names[index]}`, onGrid });
    });
    spreads.set(column, { variance, categorical: true });
  });
  if (dimensions.length === 0) {
    throw new MoietyError("input", "no features are left: every one has the same value for all people");
  }
  const variance = Array.from(spreads.values()).reduce((sum, each) => sum + each.variance, 0);
  const spread = { largest, variance, columns: dimensions.length };
  return { encodings, dimensions, constant, spread, warnings: dominanceWarnings(spreads) };
}
