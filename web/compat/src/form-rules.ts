import {
  type AnomalyCheck,
  type AnomalyResult,
  createAnomalyCheck,
  createTakenCheck,
  detectDataType,
  validateField as validate,
  validateUnique,
} from '@weft/client/validate'
import { orFallback } from './errors.ts'
import { currentClient, isOpen } from './start.ts'

/*
 * The implementation of `forms.ts`, which loads it on the first use.
 */

/** The rules and the input of a field. A rule that is null does not restrict the value. */
export interface FormFieldData {
  fieldName?: string | null
  name?: string | null
  value?: string | null
  fieldType?: string | null
  dataType?: string | null
  pattern?: string | RegExp | null
  conceptType?: string | null
  maxLength?: number | null
  minLength?: number | null
  minValue?: number | null
  maxValue?: number | null
  accept?: string | null
  file?: File | string | null
  required?: boolean
  isUnique?: boolean
}

export type FormErrors = { [fieldName: string]: { [rule: string]: string } }

/** Converts the field and the input to the form of the client. */
function convert(options: FormFieldData) {
  const { value = null, pattern, file } = options
  const field: any = { name: String(options.name ?? options.fieldName) }
  for (const rule of rules) if (options[rule] != null) field[rule] = options[rule]
  if (pattern) field.pattern = pattern instanceof RegExp ? pattern.source : pattern
  const fileName = file && typeof file === 'object' ? file.name : file
  return {
    field,
    input: { value: value === null ? null : String(value), ...(fileName && { file: fileName }) },
  }
}

const rules = [
  'required',
  'dataType',
  'conceptType',
  'maxLength',
  'minLength',
  'minValue',
  'maxValue',
  'accept',
  'isUnique',
] as const

/** Reports whether no concept of the type has the value. */
export async function isFree(type: string, value: string): Promise<boolean> {
  const name = type.startsWith('the_') ? type : `the_${type}`
  return !(await createTakenCheck(currentClient())(name, value))
}

export async function validateField(options: FormFieldData): Promise<{ [rule: string]: string }> {
  const { field, input } = convert(options)
  const messages = validate(field, input)
  const unique = isOpen()
    ? await validateUnique(field, input, createTakenCheck(currentClient()))
    : {}
  return { ...messages, ...unique } as { [rule: string]: string }
}

let anomalies: AnomalyCheck | undefined

/** Drops the statistics of usual values, so that the next check fetches them again. */
export function forgetAnomalies(): void {
  anomalies = undefined
}

export async function checkAnomaly(
  type: string,
  value: string | null,
): Promise<{ valid: boolean; warnings: string[] }> {
  anomalies ??= createAnomalyCheck(currentClient())
  const unknown: AnomalyResult = { valid: false, warnings: [] }
  const { valid, warnings } = await orFallback(anomalies.check(type, value), unknown)
  return { valid, warnings: [...warnings] }
}

export { detectDataType }
