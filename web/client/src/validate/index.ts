/*
 * Validation of form fields: data types, patterns, lengths, uniqueness, and comparison with the usual values of a type.
 * The rules and messages are those of Go's package `validate`. Tests of both run the same cases in `spec/`.
 *
 *   field.ts, data-type.ts       the rules; pattern.ts, pattern-syntax.ts and character-class.ts are its regexp engine
 *   uniqueness.ts                the only rule that needs the graph
 *   anomaly.ts, anomaly-check.ts   comparison with statistics of the server
 *   watch-form.ts                validation of a plain HTML form; control.ts reads it, error-container.ts shows messages
 *
 * All rules but uniqueness and anomalies work without the server, in time linear in the input.
 */
export { afterPointerUp } from './after-press.ts'
export { type AnomalyResult, checkAnomaly, type TypeNorms } from './anomaly.ts'
export { type AnomalyCheck, createAnomalyCheck } from './anomaly-check.ts'
export type { Control } from './control.ts'
export { type DataType, dataTypes, detectDataType, matchesDataType } from './data-type.ts'
export {
  type Field,
  type Input,
  type Messages,
  type Rule,
  validateField,
  validateForm,
} from './field.ts'
export { createTakenCheck, type IsTaken, validateUnique } from './uniqueness.ts'
export { validateControl, type WatchOptions, watchForm } from './watch-form.ts'
