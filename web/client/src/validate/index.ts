export { judge, type Normal, type Verdict } from './anomaly.ts'
export type { Control } from './control.ts'
export { accepts, type DataType, dataTypes, detect } from './data-type.ts'
export {
  check,
  checkForm,
  checkUnique,
  type Field,
  type Input,
  type Messages,
  type Rule,
  type Taken,
} from './field.ts'
export { type AnomalyCheck, anomalyCheck } from './normals.ts'
export { afterPress } from './press.ts'
export { takenIn } from './taken.ts'
export { checkField, type WatchOptions, watchForm } from './watch.ts'
