export { checkWritable, writeAtomically } from "./atomic.js";
export { type ColumnBeside, openBeside } from "./beside.js";
export { writeFaces } from "./faces.js";
export { readImages, tableOfSource, withPixels } from "./images.js";
export { checkAllThere, checkClusters, labelColumns, notRowNumbers, readLabels } from "./labels.js";
export { type ColumnDescription, describeSource, type ReadOptions, type ReadProgress, readTable } from "./read.js";
export { openSource } from "./source.js";
export { isStandardInput } from "./spool.js";
export {
  checkFormat,
  isParquet,
  isStandardOutput,
  streamLabels,
  writeLabels,
  writeParts,
  writeTable,
} from "./write.js";
