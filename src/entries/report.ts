/** Results as pages that need nothing else; runs in browsers too. @packageDocumentation */
export { type ErrorCode, MoietyError } from "../errors.js";
export { renderReport } from "../library/report.js";
