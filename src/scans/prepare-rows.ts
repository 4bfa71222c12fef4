import { MoietyError } from "../errors.js";
import { completeColumns, weightOfCategory } from "../table/people.js";
import type { Attribute, PeopleOptions } from "../table/types.js";
import { SurveyedColumns } from "./columns.js";
import { surveyGroups } from "./groups.js";
import type { ScanId, ScannedValue, Scanner, TallyKey } from "./scanner.js";

/** A column of numbers as it is, or a category: `weight` for those who have the value, else 0. */
export type RowDimension =
  | {
      readonly kind: "numeric";
      readonly name: string;
      readonly column: string;
      /** The source holds 32-bit floats, and what is computed from them is rounded to such. */
      readonly single: boolean;
      /** Over those whose value is known; none where `known` is 0. */
      readonly least: number;
      readonly most: number;
      readonly known: number;
      readonly missing: number;
    }
  | {
      readonly kind: "level";
      readonly name: string;
      readonly column: string;
      readonly level: ScannedValue;
      readonly weight: number;
      readonly people: number;
    };

/** What a holder of rows knows of its people who stay where they are. Nothing is scaled: only all holders together know scales. */
export interface SurveyedRows {
  readonly n: number;
  readonly dimensions: readonly RowDimension[];
  readonly keys: readonly TallyKey[];
  readonly patterns: readonly (readonly ScannedValue[])[];
  /** One code for each pattern. */
  readonly attributes: readonly Attribute[];
  /** People of each pattern. */
  readonly counts: Float64Array;
  readonly id: Exclude<ScanId, { readonly kind: "row" }>;
}

/** What `preparePeople` with `partial` finds out from whole columns, from one scan. */
export async function prepareRows(scanner: Scanner, options: PeopleOptions): Promise<SurveyedRows> {
  const columns = await SurveyedColumns.of(scanner);
  const first = await columns.first(options);
  const roles = await columns.roles(options);
  completeColumns(roles, roles.features, options.missing ?? "error");
  const groups = await surveyGroups(columns, roles, first, [], { ...options, partial: true });
  const id = columns.id(roles, groups.survey);
  if (id.kind === "row") throw new MoietyError("usage", "people in a database need an id: name their column with `id`");
  const n = groups.survey.people;
  const numbers = roles.features.map(({ name }): RowDimension => {
    const { least, most, known, missing } = columns.extent(name);
    const single = columns.named.get(name)?.single ?? false;
    return { kind: "numeric", name, column: name, single, least, most, known, missing };
  });
  const own = weightOfCategory(options, roles.categorical.length);
  const categories = roles.categorical.flatMap(({ name: column }, at): RowDimension[] => {
    const declared = options.levels?.[column] ?? [];
    const here = new Map(groups.levels[at].map((each) => [each.level, each]));
    const unknown = groups.levels[at].filter(({ level }) => !declared.includes(level));
    if (unknown.length > 0) {
      const rows = unknown.reduce((sum, { people }) => sum + people, 0);
      const what = `column '${column}' has a category that was not declared in ${rows} of ${n} rows`;
      throw new MoietyError("input", `${what}; leave those rows out or name it among the column's categories`);
    }
    return declared.map((level) => {
      const { value = null, people = 0 } = here.get(level) ?? {};
      const weight = people > 0 ? own : 0;
      return { kind: "level", name: `${column}=${level}`, column, level: value, weight, people };
    });
  });
  const { keys, patterns, attributes, counts } = groups;
  return { n, dimensions: [...numbers, ...categories], keys, patterns, attributes, counts, id };
}
