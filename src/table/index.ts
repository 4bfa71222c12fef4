export { type ArrowTable, tableFromArrow } from "./arrow.js";
export { type CsvOptions, tableFromCsv } from "./csv-text.js";
export { type DescribedColumn, describeTable, type Predictor, type TableDescription } from "./describe.js";
export { type EncodeOptions, encodePeople } from "./encode.js";
export { type GenerateOptions, type GeneratorKind, generateParts, generateTable, generatorKinds } from "./generate.js";
export { attributeOf } from "./groups.js";
export { checkKeys, checkOnePerRow, goesBy, joinLabels, type Labels, withoutLabel } from "./labels.js";
export { asLevels, kindOf } from "./levels.js";
export { type Cell, type ColumnData, tableFromColumns, tableFromRecords, typeOf } from "./make.js";
export { type NormaliseStep, normaliseSteps, spellings } from "./normalise.js";
export { type DistinctIds, sortBytesInTurns } from "./order.js";
export { type ColumnsUsed, type Origin, originOf } from "./origin.js";
export { preparePeople, preparePeopleInTurns } from "./people.js";
export { checkShape, type Pictures } from "./pictures.js";
export { parseProtected } from "./protect.js";
export { guarded, withoutGuard } from "./spreadsheet.js";
export { tableAmong, tableOfRows } from "./subset.js";
export { unknownName } from "./suggest.js";
export type { Suggestion } from "./suggestion.js";
export type {
  Attribute,
  Column,
  ColumnKind,
  Dropped,
  DroppedGroup,
  Encoding,
  LeftOut,
  MissingRule,
  NumberArray,
  NumericColumn,
  People,
  PeopleOptions,
  PublicBox,
  Scaling,
  Table,
  TextColumn,
} from "./types.js";
