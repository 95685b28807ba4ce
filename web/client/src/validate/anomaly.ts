import { withPrefix } from '../model/type.ts'
import { detectDataType } from './data-type.ts'

/** Statistics of the values of a type, computed by the server. */
export interface TypeNorms {
  /** Shortest usual length, in UTF-16 units. */
  readonly min_length: number
  /** Longest usual length, in UTF-16 units. */
  readonly max_length: number
  /** Data types of the values, most specific first. */
  readonly data_types: readonly string[]
}

/** The result of comparing a value with the statistics of its type. */
export interface AnomalyResult {
  readonly valid: boolean
  /** Reasons for the result. A valid value also has a reason. */
  readonly warnings: readonly string[]
}

/**
 * Compares a value with the statistics of its type. An empty value is not valid, nor is a value of a type without
 * statistics.
 *
 * @param normsByType statistics by type name with `the_`
 */
export function checkAnomaly(
  normsByType: Readonly<Record<string, TypeNorms>>,
  type: string,
  value: string | null | undefined,
): AnomalyResult {
  if (!value) return { valid: false, warnings: ['Null value'] }
  const name = withPrefix(type)
  const norms = Object.hasOwn(normsByType, name) ? normsByType[name] : undefined
  if (norms === undefined)
    return { valid: false, warnings: [`No concept details found for type: ${name}`] }
  const warnings = listWarnings(norms, value)
  if (warnings.length > 0) return { valid: false, warnings }
  const reason = `Concept ${name} is valid. Length: ${value.length}, Type: ${detectDataType(value)}`
  return { valid: true, warnings: [reason] }
}

function listWarnings(norms: TypeNorms, value: string): string[] {
  const { min_length: min, max_length: max, data_types: types } = norms
  const { length } = value
  const detected = detectDataType(value)
  const warnings: string[] = []
  if (length < min || length > max)
    warnings.push(
      `Length of '${value}' is outside the allowed range (min: ${min}, max: ${max}). Current length: ${length}.`,
    )
  if (!types.includes(detected))
    warnings.push(
      `Type mismatch for '${value}'. Expected types: ${types.join(', ')}, detected type: ${detected}.`,
    )
  return warnings
}
