export { type ArrowTable, tableFromArrow } from "./arrow.js";
export { checkWritable, writeAtomically } from "./atomic.js";
export { type DescribedColumn, describeTable, type Predictor, type TableDescription } from "./describe.js";
export { type EncodeOptions, encodePeople } from "./encode.js";
export { type GenerateOptions, type GeneratorKind, generateTable, generatorKinds } from "./generate.js";
export { writeFaces } from "./generators/faces.js";
export { attributeOf } from "./groups.js";
export { checkShape, type Pictures, readImages, tableOfSource, withPixels } from "./images.js";
export { joinLabels, type Labels, readLabels } from "./labels.js";
export { asLevels, kindOf } from "./levels.js";
export { type Cell, type ColumnData, tableFromColumns, tableFromRecords, typeOf } from "./make.js";
export { type DistinctIds, sortBytesInTurns } from "./order.js";
export { type ColumnsUsed, type Origin, originOf } from "./origin.js";
export { preparePeople } from "./people.js";
export { parseProtected } from "./protect.js";
export { type ColumnDescription, describeSource, type ReadOptions, readTable } from "./read.js";
export { isStandardInput } from "./spool.js";
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
  NumericColumn,
  People,
  PeopleOptions,
  PublicBox,
  Scaling,
  Table,
  TextColumn,
} from "./types.js";
export { checkFormat, isParquet, isStandardOutput, writeLabels, writeTable } from "./write.js";
