export { checkWritable, removeUnfinished, writeAtomically } from "./atomic.js";
export { type EncodeOptions, encodePeople } from "./encode.js";
export { type GenerateOptions, type GeneratorKind, generateTable, generatorKinds } from "./generate.js";
export { joinLabels, type Labels, readLabels } from "./labels.js";
export { asLevels } from "./levels.js";
export { compareBytes } from "./order.js";
export { preparePeople } from "./people.js";
export { type ColumnDescription, describeSource, type ReadOptions, readTable } from "./read.js";
export { didYouMean, nearestName, unknownName } from "./suggest.js";
export type {
  Attribute,
  Column,
  Encoding,
  MissingRule,
  NumericColumn,
  People,
  PeopleOptions,
  Scaling,
  Table,
  TextColumn,
} from "./types.js";
export { writeLabels, writeTable } from "./write.js";
