import { WeftError } from '../graph/error.ts'
import { withPrefix } from '../graph/type.ts'
import { accepts, type DataType } from './data-type.ts'
import { search } from './pattern.ts'

/** Says what a field asks of a value. What is left out asks nothing. */
export interface Field {
  readonly name: string
  readonly required?: boolean | undefined
  /** One that is not known asks nothing. */
  readonly dataType?: DataType | (string & {}) | undefined
  /** Found anywhere in the value; as Go's package regexp reads it, so that no pattern takes long. */
  readonly pattern?: string | undefined
  /** Lengths are in UTF-16 units. */
  readonly maxLength?: number | undefined
  readonly minLength?: number | undefined
  /** Asks nothing of a value that is no number. */
  readonly minValue?: number | undefined
  readonly maxValue?: number | undefined
  /** File name extensions without their dots, between commas. */
  readonly accept?: string | undefined
  /** The type of the concept that the value becomes. */
  readonly conceptType?: string | undefined
  readonly isUnique?: boolean | undefined
}

/** What somebody put into a field. */
export interface Input {
  readonly value?: string | null | undefined
  /** The name of a file. */
  readonly file?: string | undefined
}

/** What is wrong with an input, by the name of the rule. An input without any is good. */
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

/** Says whether a concept of a type has a value already. */
export type Taken = (type: string, value: string) => boolean | Promise<boolean>

/**
 * Holds an input against every rule but `isUnique`, which `checkUnique` asks. An empty value is only held
 * against `required`. Throws a WeftError of kind `invalid` for a pattern that is none.
 */
export function check(field: Field, { value, file }: Input): Messages {
  const found: Partial<Record<Rule, string>> = {}
  if (value) checkValue(field, value, found)
  else if (field.required) found.required = `The field ${field.name} is required.`
  if (file && field.accept) checkFile(field.accept, file, found)
  return found
}

/** As check, for the fields of a form. Only those that something is wrong with are listed. */
export function checkForm(
  form: Readonly<Record<string, Field & Input>>,
): Readonly<Record<string, Messages>> {
  const all = Object.entries(form).map(([key, field]) => [key, check(field, field)] as const)
  return Object.fromEntries(all.filter(([, found]) => Object.keys(found).length > 0))
}

/** Rejects with the error of `taken`. */
export async function checkUnique(field: Field, { value }: Input, taken: Taken): Promise<Messages> {
  if (!field.isUnique || !field.conceptType || !value) return {}
  const used = await taken(withPrefix(field.conceptType), value)
  return used ? { unique: 'Value is not unique' } : {}
}

function checkValue(field: Field, value: string, found: Partial<Record<Rule, string>>): void {
  const { dataType, pattern, maxLength, minLength, minValue, maxValue } = field
  const size = Number(value)
  if (dataType && !accepts(dataType, value)) found.dataType = `Invalid value for ${dataType}`
  if (pattern && !has(field, value)) found.pattern = "Pattern doesn't match with value"
  if (maxLength !== undefined && value.length > maxLength)
    found.maxLength = `Length exceeds the maximum length of ${maxLength}`
  if (minLength !== undefined && value.length < minLength)
    found.minLength = `Length must be at least ${minLength} characters long`
  if (minValue !== undefined && size < minValue)
    found.minValue = `Value must be greater than or equal to ${minValue}`
  if (maxValue !== undefined && size > maxValue)
    found.maxValue = `Value must be less than or equal to ${maxValue}`
}

function has({ name, pattern = '' }: Field, value: string): boolean {
  try {
    return search(pattern)(value)
  } catch (error) {
    const seen = JSON.stringify(pattern.slice(0, 100))
    throw new WeftError(
      'invalid',
      `the pattern ${seen} of the field "${name}" cannot be read`,
      error,
    )
  }
}

/** A name without a dot is compared whole. */
function checkFile(accept: string, file: string, found: Partial<Record<Rule, string>>): void {
  const accepted = accept.split(',').map((one) => one.trim().toLowerCase())
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase()
  if (!accepted.includes(extension))
    found.accept = `File must be a valid file type: ${accepted.join(', ')}`
}
