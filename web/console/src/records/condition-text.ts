import type { Column } from './columns.ts'
import type { Condition, ConditionOp } from './view-state.ts'

/** The comparisons in words, in the order in which the builder offers them. */
export const opWords: Readonly<Record<ConditionOp, string>> = {
  is: 'is',
  isNot: 'is not',
  contains: 'contains',
  min: 'at least',
  max: 'at most',
  empty: 'is empty',
  notEmpty: 'is not empty',
}

/** Reports whether a comparison needs a value. */
export const needsValue = (op: ConditionOp): boolean => op !== 'empty' && op !== 'notEmpty'

/** Returns a condition in words: "Status is open". */
export function conditionText(
  columns: readonly Column[],
  { column, op, value }: Condition,
): string {
  const label = columns.find(({ key }) => key === column)?.label ?? column
  return needsValue(op) ? `${label} ${opWords[op]} ${value}` : `${label} ${opWords[op]}`
}
