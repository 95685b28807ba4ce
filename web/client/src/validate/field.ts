import { WeftError } from '../model/error.ts'
import { type DataType, matchesDataType } from './data-type.ts'
import { compilePattern } from './pattern.ts'

/** The rules of a field. A missing member does not restrict the value. */
export interface Field {
  readonly name: string
  readonly required?: boolean | undefined
  /** An unknown data type does not restrict the value. */
  readonly dataType?: DataType | (string & {}) | undefined
  /**
   * A regular expression that must match somewhere in the value. It has the syntax of Go's package regexp, which is
   * matched in linear time.
   */
  readonly pattern?: string | undefined
  /** Maximum length, in UTF-16 units. */
  readonly maxLength?: number | undefined
  /** Minimum length, in UTF-16 units. */
  readonly minLength?: number | undefined
  /** Minimum of a number. `minValue` and `maxValue` are ignored for other values. */
  readonly minValue?: number | undefined
  readonly maxValue?: number | undefined
  /** Accepted file name extensions, without dots, separated by commas. */
  readonly accept?: string | undefined
  /** Type of the concept that stores the value. */
  readonly conceptType?: string | undefined
  /** Refuses a value that another concept of `conceptType` already has. */
  readonly isUnique?: boolean | undefined
}

/** The input of a field. */
export interface Input {
  readonly value?: string | null | undefined
  /** Name of the chosen file. */
  readonly file?: string | undefined
}

/** Error messages by rule. An input without messages is valid. */
export type Messages = Readonly<Partial<Record<Rule, string>>>

export type Rule =
  | 'required'
  | 'dataType'
  | 'pattern'
  | 'maxLength'
  | 'minLength'
  | 'minValue'
  | 'maxValue'
  | 'accept'
  | 'unique'

/**
 * Validates an input against all rules except `isUnique`, which `validateUnique` checks. An empty value is only checked
 * against `required`. Throws `invalid` for a malformed pattern.
 */
export function validateField(field: Field, { value, file }: Input): Messages {
  const found: Partial<Record<Rule, string>> = {}
  if (value) validateValue(field, value, found)
  else if (field.required) found.required = `The field ${field.name} is required.`
  if (file && field.accept) validateFile(field.accept, file, found)
  return found
}

/** Validates the fields of a form. Returns the messages of the invalid fields. */
export function validateForm(
  form: Readonly<Record<string, Field & Input>>,
): Readonly<Record<string, Messages>> {
  const all = Object.entries(form).map(
    ([key, field]) => [key, validateField(field, field)] as const,
  )
  return Object.fromEntries(all.filter(([, found]) => Object.keys(found).length > 0))
}

function validateValue(field: Field, value: string, found: Partial<Record<Rule, string>>): void {
  const { dataType, pattern, maxLength, minLength, minValue, maxValue } = field
  const size = Number(value)
  if (dataType && !matchesDataType(dataType, value))
    found.dataType = `Invalid value for ${dataType}`
  if (pattern && !matchesPattern(field, value)) found.pattern = "Pattern doesn't match with value"
  if (maxLength !== undefined && value.length > maxLength)
    found.maxLength = `Length exceeds the maximum length of ${maxLength}`
  if (minLength !== undefined && value.length < minLength)
    found.minLength = `Length must be at least ${minLength} characters long`
  if (minValue !== undefined && size < minValue)
    found.minValue = `Value must be greater than or equal to ${minValue}`
  if (maxValue !== undefined && size > maxValue)
    found.maxValue = `Value must be less than or equal to ${maxValue}`
}

function matchesPattern({ name, pattern = '' }: Field, value: string): boolean {
  try {
    return compilePattern(pattern)(value)
  } catch (error) {
    const seen = JSON.stringify(pattern.slice(0, 100))
    throw new WeftError(
      'invalid',
      `the pattern ${seen} of the field "${name}" cannot be read`,
      error,
    )
  }
}

/** Checks the extension of a file name. A name without a dot is compared as a whole. */
function validateFile(accept: string, file: string, found: Partial<Record<Rule, string>>): void {
  const accepted = accept.split(',').map((one) => one.trim().toLowerCase())
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase()
  if (!accepted.includes(extension))
    found.accept = `File must be a valid file type: ${accepted.join(', ')}`
}
