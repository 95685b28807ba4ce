import { withPrefix } from '../graph/type.ts'
import { detect } from './data-type.ts'

/** How the values of a type usually are, as the server tells it. */
export interface Normal {
  /** Lengths are in UTF-16 units. */
  readonly min_length: number
  readonly max_length: number
  /** Those that were seen, the most specific first. */
  readonly data_types: readonly string[]
}

/** What a value looks like among the others of its type. */
export interface Verdict {
  readonly valid: boolean
  /** A valid value has one as well, which says why. */
  readonly warnings: readonly string[]
}

/** Compares a value with what is normal for its type, by the type's full name. */
export function judge(
  normal: Readonly<Record<string, Normal>>,
  type: string,
  value: string | null | undefined,
): Verdict {
  if (!value) return { valid: false, warnings: ['Null value'] }
  const name = withPrefix(type)
  const usual = Object.hasOwn(normal, name) ? normal[name] : undefined
  if (usual === undefined)
    return { valid: false, warnings: [`No concept details found for type: ${name}`] }
  const warnings = warningsOf(usual, value)
  if (warnings.length > 0) return { valid: false, warnings }
  const why = `Concept ${name} is valid. Length: ${value.length}, Type: ${detect(value)}`
  return { valid: true, warnings: [why] }
}

function warningsOf(normal: Normal, value: string): string[] {
  const { min_length: min, max_length: max, data_types: types } = normal
  const { length } = value
  const detected = detect(value)
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
