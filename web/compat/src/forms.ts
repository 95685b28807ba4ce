import type { FormErrors, FormFieldData } from './form-rules.ts'
import { currentClient } from './start.ts'

/*
 * Validation of form fields. The rules and messages are those of `@weft/client/validate`, which is loaded on the first
 * use.
 */

type Rules = typeof import('./form-rules.ts')
let loadedRules: Rules | undefined

async function loadRules(): Promise<Rules> {
  loadedRules ??= await import('./form-rules.ts')
  return loadedRules
}

/** Validates fields. Errors are messages by rule; a valid field has no errors. */
export class Validator {
  /** Reports whether no concept of the type has the value. */
  async checkUniqueness(type: string, value: string): Promise<boolean> {
    return (await loadRules()).isFree(type, value)
  }

  async validateField(options: FormFieldData): Promise<{ [fieldName: string]: string }> {
    return (await loadRules()).validateField(options)
  }

  /** Validates the fields of a form. Returns the errors of the invalid fields. */
  async validateForm(formData: { [key: string]: FormFieldData }): Promise<FormErrors> {
    const errors: FormErrors = {}
    for (const [name, options] of Object.entries(formData)) {
      const messages = await this.validateField({ name, ...options })
      if (Object.keys(messages).length > 0) errors[name] = messages
    }
    return errors
  }

  /** Returns a result object. Its `status` and `details` are set when the field has been validated. */
  validate(options: FormFieldData): any {
    const result: { status?: boolean; details?: unknown } = {}
    this.validateField(options).then(
      (details) => Object.assign(result, { status: Object.keys(details).length === 0, details }),
      (error) => Object.assign(result, { status: false, details: { error: String(error) } }),
    )
    return result
  }
}

/** Finds the first element with this name, and reads its value and the rules in its attributes. */
export function createFormFieldData(fieldName: string): FormFieldData {
  const element = document.getElementsByName(fieldName)[0]
  const text = (name: string) => element?.getAttribute(name) ?? null
  const integer = (name: string) => {
    const n = Number.parseInt(text(name) ?? '', 10)
    return Number.isNaN(n) ? null : n
  }
  const input = element as Partial<HTMLInputElement> | undefined
  return {
    fieldName,
    name: fieldName,
    value: input?.value ?? null,
    fieldType: text('type'),
    dataType: text('data-type'),
    pattern: text('data-pattern'),
    conceptType: text('concept-type'),
    maxLength: integer('maxlength'),
    minLength: integer('minlength'),
    minValue: integer('min'),
    maxValue: integer('max'),
    accept: text('accept'),
    file: input?.files?.[0] ?? null,
    required: element
      ? element.hasAttribute('required') || text('data-required') === 'true'
      : false,
    isUnique: element ? text('isUnique') === 'true' : true,
  }
}

/** Compares values with the usual values of their types, and detects the most specific data type of a value. */
export class Anomaly {
  static anomalyParamsCache: any = null
  static cacheInitialized = false
  static lastFetchedTime = 0
  /** Lifetime of the parameters, in milliseconds. */
  static cacheExpiryThreshold = 600_000

  static async initializeAnomalyParameters(): Promise<void> {
    await loadRules()
  }

  /** Fetches the usual values by type: `{the_type: {min_length, max_length, data_types}}`. */
  static async getAnomalyParameters(): Promise<any> {
    if (Date.now() - Anomaly.lastFetchedTime > Anomaly.cacheExpiryThreshold)
      await Anomaly.fetchAnomalyParameters()
    return Anomaly.anomalyParamsCache
  }

  static async fetchAnomalyParameters(): Promise<any> {
    const response = await currentClient().fetch('/api/v1/get-frontend-anomaly-parameters')
    Anomaly.anomalyParamsCache = response.ok ? (await response.json())?.data : {}
    Anomaly.lastFetchedTime = Date.now()
    Anomaly.cacheInitialized = true
    return Anomaly.anomalyParamsCache
  }

  static async refreshCache(): Promise<void> {
    loadedRules?.forgetAnomalies()
    await Anomaly.fetchAnomalyParameters()
  }

  static async checkAnomalyInBulk(
    formData: Record<string, FormFieldData>,
  ): Promise<Record<string, { valid: boolean; warnings: string[] }>> {
    const anomaly = new Anomaly()
    const checked = Object.entries(formData).map(
      async ([type, { value }]) =>
        [type, await anomaly.checkConceptAnomaly(type, value ?? null)] as const,
    )
    return Object.fromEntries(await Promise.all(checked))
  }

  /** Returns the names of the functions of this class. */
  static getExportedFunction(): string[] {
    return ['checkConceptAnomaly', 'checkAnomalyInBulk', 'detectDataType']
  }

  static getFunctionaAnomalyParameters(): Promise<any> {
    return Anomaly.getAnomalyParameters()
  }

  constructor() {
    loadRules().catch(() => {})
  }

  /**
   * Returns the most specific data type of a value. Until the rules are loaded, distinguishes only numbers from other
   * text.
   */
  detectDataType(value: string): string | null {
    if (value === '') return 'text'
    const isNumber = /^\d+(\.\d+)?$/.test(value)
    return loadedRules?.detectDataType(value) ?? (isNumber ? 'number' : 'text')
  }

  async checkConceptAnomaly(
    typeConcept: string,
    value: string | null,
  ): Promise<{ valid: boolean; warnings: string[] }> {
    return (await loadRules()).checkAnomaly(typeConcept, value)
  }
}
