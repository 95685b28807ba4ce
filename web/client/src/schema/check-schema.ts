import { WeftError } from '../model/error.ts'
import { dataTypes } from '../validate/data-type.ts'
import type { FieldData, Kind, SchemaData } from './fields.ts'
import { checkPattern } from './pattern.ts'
import { encodeValue } from './record.ts'
import { canonicalInstant, encodeScalar, isLink, isPlainRecord, isTime } from './values.ts'

/*
 * The rules that a schema obeys. Go's package `schema` has the same rules; both run the cases in `spec/schema`. The types
 * of `defineSchema` exclude most violations at compile time.
 */

/** An error in a schema. `rule` is the member that is wrong. */
export interface Problem {
  readonly type?: string
  /** Path of the field; the items of a list have the name `of`. */
  readonly field?: string
  readonly rule: string
  readonly message: string
}

type FieldMap = Readonly<Record<string, FieldData>>

/** Results of earlier checks, by schema. */
const known = new WeakMap<SchemaData, readonly Problem[]>()

/**
 * Returns a valid schema unchanged. Throws `invalid` for a schema with errors; the message lists their types and
 * fields.
 */
export function checkSchema(data: SchemaData): SchemaData {
  const problems = known.get(data) ?? findProblems(data)
  known.set(data, problems)
  if (problems.length === 0) return data
  const texts = problems
    .slice(0, 10)
    .map(({ type, field, message }) => `${[type, field].filter(Boolean).join('.')}: ${message}`)
  throw new WeftError('invalid', `the schema has problems: ${texts.join('; ')}`)
}

/** Returns the errors of a schema, sorted by type, field and rule, at most one for each combination of these. */
export function findProblems(data: SchemaData): readonly Problem[] {
  const checker = new Checker()
  const types = isPlainRecord(data) ? data.types : undefined
  if (!isPlainRecord(types) || Object.keys(types).length > 10_000)
    checker.add('types', 'needs the member types, a record of at most 10,000 types')
  else checker.checkTypes(data)
  const keyOf = ({ type = '', field = '', rule }: Problem) => `${type}\0${field}\0${rule}`
  const byKey = new Map(checker.problems.map((problem) => [keyOf(problem), problem]))
  return [...byKey.keys()].sort().map((key) => byKey.get(key) as Problem)
}

const general = ['required', 'default', 'restricted', 'was']
const limits = ['min', 'max']
const textRules = [...general, ...limits, 'pattern', 'format']
const numberRules = [...general, ...limits, 'unique']

/** The members that a field of each kind may have in addition to its kind. */
const members: Readonly<Record<FieldData['kind'], readonly string[]>> = {
  text: [...textRules, 'unique'],
  longText: textRules,
  integer: numberRules,
  number: numberRules,
  boolean: general,
  date: numberRules,
  dateTime: numberRules,
  json: general,
  file: ['required', 'max', 'restricted', 'was'],
  choice: [...general, 'choices', 'unique'],
  list: ['of', 'required', 'restricted', 'was', ...limits],
  record: ['fields', 'required', 'restricted', 'was'],
  one: ['targets', 'inverse', 'required', 'was'],
  many: ['targets', 'inverse', 'was'],
}

const isName = (name: string): boolean => /^[a-z][A-Za-z0-9]{0,63}$/.test(name)
const reservedFields = ['id', 'or', 'and', 'not']
const reservedTypes = ['connection', 'composition']
const maxNested = 16

class Checker {
  readonly problems: Problem[] = []
  #type = ''
  #path: string[] = []

  add(rule: string, message: string): void {
    const field = this.#path.join('.')
    const type = this.#type
    this.problems.push({ ...(type && { type }), ...(field && { field }), rule, message })
  }

  #at(name: string, work: () => void): void {
    this.#path.push(name)
    work()
    this.#path.pop()
  }

  checkTypes(data: SchemaData): void {
    this.#checkMembers(data, ['types'])
    const { types } = data
    const fieldsOf = (type: string): FieldMap => {
      const fields = Object.hasOwn(types, type) ? types[type]?.fields : undefined
      return isPlainRecord(fields) ? (fields as FieldMap) : {}
    }
    for (const [name, type] of Object.entries(types)) {
      this.#type = name
      if (!isName(name) || reservedTypes.includes(name))
        this.add('name', `${JSON.stringify(name)} cannot be the name of a type`)
      this.#checkMembers(type, ['fields'])
      this.#checkFields(type?.fields)
    }
    for (const type of Object.keys(types)) {
      this.#type = type
      this.#checkFormerNames(fieldsOf(type))
      for (const [name, field] of Object.entries(fieldsOf(type)))
        this.#at(name, () => this.#checkInSchema(name, field, fieldsOf, Object.keys(types)))
    }
    this.#checkRequiredLinks(Object.keys(types), fieldsOf)
  }

  #checkMembers(value: unknown, allowed: readonly string[]): void {
    for (const key of isPlainRecord(value) ? Object.keys(value) : [])
      if (!allowed.includes(key))
        this.add('unknown', `cannot have the member ${JSON.stringify(key)}`)
  }

  #checkFields(fields: unknown): void {
    const count = isPlainRecord(fields) ? Object.keys(fields).length : 0
    if (count === 0 || count > 500) {
      this.add('fields', 'needs the member fields, a record of 1 to 500 fields')
      return
    }
    for (const [name, field] of Object.entries(fields as FieldMap)) {
      this.#at(name, () => {
        if (!isName(name) || reservedFields.includes(name))
          this.add('name', `${JSON.stringify(name)} cannot be the name of a field`)
        this.#checkField(field)
      })
    }
  }

  #checkField(field: FieldData, isItem = false): void {
    const reason = kindProblem(field)
    if (reason) {
      this.add('kind', reason)
      return
    }
    const { kind } = field
    if (this.#path.length > maxNested) {
      this.add('kind', `is nested deeper than ${maxNested} levels`)
      return
    }
    this.#checkMembers(field, ['kind', ...members[kind]])
    const before = this.problems.length
    this.#checkMemberValues(field)
    if (isLink(field)) this.#checkLink(field)
    if (this.#path.length > 1) this.#checkNested(field, isItem)
    if (this.problems.length === before) this.#checkDefault(field)
  }

  #checkMemberValues(field: FieldData): void {
    for (const [name, value] of Object.entries(field)) {
      const reason = memberProblem(field, name, value)
      if (reason) this.add(name, reason)
    }
    const { kind, min, max, of, fields } = field
    if (min !== undefined && max !== undefined && limitOf(field, min) > limitOf(field, max))
      this.add('max', 'is less than min')
    if (kind === 'choice' && !field.choices) this.add('choices', 'needs choices')
    if (kind === 'list' && !of) this.add('of', 'needs the kind of its items')
    if (kind === 'list' && of !== undefined) this.#at('of', () => this.#checkField(of, true))
    if (kind === 'record') this.#checkFields(fields)
  }

  /** Reports links inside nested records and lists, and rules there that only fields of a type may have. */
  #checkNested(field: FieldData, isItem: boolean): void {
    if (isLink(field)) this.add('kind', 'only a type may have links')
    if (field.unique) this.add('unique', 'only the fields of a type may be unique')
    for (const name of isItem ? general : [])
      if (Object.hasOwn(field, name))
        this.add(name, `items of a list cannot have the member "${name}"`)
  }

  #checkLink({ targets, inverse, required, was }: FieldData): void {
    if (!targets) this.add('targets', 'needs the types to which it leads')
    if (!targets || inverse === undefined) return
    if (targets.length !== 1) this.add('inverse', 'needs exactly one target')
    else if (required)
      this.add(
        'required',
        'the inverse of a link cannot be required: it is stored with the other record',
      )
    else if (was) this.add('was', 'the inverse of a link has no stored name')
  }

  #checkDefault(field: FieldData): void {
    const { kind, unique, default: value } = field
    if (value === undefined || !members[kind].includes('default')) return
    if (unique) this.add('default', 'a unique field cannot have a default')
    if ((kind === 'date' && value === 'today') || (kind === 'dateTime' && value === 'now')) return
    const { stored, refusals } = encodeValue('', field, value)
    if (stored === null || refusals.length > 0) this.add('default', 'is not a value of the field')
  }

  /** Reports a former name that another field uses. */
  #checkFormerNames(fields: FieldMap): void {
    const used = new Set<string>()
    for (const name of Object.keys(fields).sort()) {
      const { was, fields: inner } = fields[name] ?? {}
      this.#at(name, () => {
        for (const former of Array.isArray(was) ? was : []) {
          if (Object.hasOwn(fields, former) || used.has(former) || !isName(former))
            this.add('was', `${JSON.stringify(former)} is the name of another field, or not a name`)
          used.add(former)
        }
        if (isPlainRecord(inner)) this.#checkFormerNames(inner as FieldMap)
      })
    }
  }

  /** Reports errors of a field that depend on the other types of the schema. */
  #checkInSchema(
    name: string,
    field: FieldData,
    fieldsOf: (type: string) => FieldMap,
    types: readonly string[],
  ): void {
    if (!isPlainRecord(field)) return
    const isLeaf = !isLink(field) && field.kind !== 'record' && field.kind !== 'list'
    if (isLeaf && types.includes(name))
      this.add(
        'name',
        'is also the name of a type: values of the field would be listed as its records',
      )
    const { targets, inverse } = field
    if (!isLink(field) || !Array.isArray(targets)) return
    const unknown = targets.find((target) => !types.includes(target))
    if (unknown !== undefined)
      this.add('targets', `${JSON.stringify(unknown)} is not a type of the schema`)
    if (unknown !== undefined || inverse === undefined || targets.length !== 1) return
    const [target = ''] = targets
    const link = Object.hasOwn(fieldsOf(target), inverse) ? fieldsOf(target)[inverse] : undefined
    const far = `${target}.${inverse}`
    if (!link || !isLink(link)) this.add('inverse', `${target} has no link "${inverse}"`)
    else if (link.inverse !== undefined)
      this.add('inverse', `${far} is itself the inverse of a link`)
    else if (!link.targets?.includes(this.#type))
      this.add('inverse', `${far} does not lead to ${this.#type}`)
  }

  /** Reports required links that form a cycle: the first record of such a type could not be created. */
  #checkRequiredLinks(types: readonly string[], fieldsOf: (type: string) => FieldMap): void {
    const creatable = new Set<string>()
    const blockingLink = (type: string): string | undefined => {
      const fields = fieldsOf(type)
      return Object.keys(fields)
        .sort()
        .find((name) => {
          const { kind, required, inverse, targets } = fields[name] ?? {}
          if (kind !== 'one' || !required || inverse !== undefined || !targets?.length) return false
          return !targets.some((target) => creatable.has(target) || !types.includes(target))
        })
    }
    for (let before = -1; before !== creatable.size; ) {
      before = creatable.size
      for (const type of types) if (blockingLink(type) === undefined) creatable.add(type)
    }
    for (const type of types) {
      const link = blockingLink(type)
      this.#type = type
      if (link !== undefined)
        this.#at(link, () =>
          this.add(
            'required',
            'is part of a cycle of required links: no first record could be created',
          ),
        )
    }
  }
}

function kindProblem(field: unknown): string | undefined {
  const { kind } = (isPlainRecord(field) ? field : {}) as { kind?: unknown }
  if (typeof kind !== 'string') return 'is not a field: a record with the member kind'
  return Object.hasOwn(members, kind) ? undefined : `${JSON.stringify(kind)} is not a kind`
}

/** Returns the problem of a field's member; undefined if the member is valid. */
function memberProblem(field: FieldData, name: string, value: unknown): string | undefined {
  if (!members[field.kind].includes(name)) return undefined
  switch (name) {
    case 'required':
    case 'unique':
    case 'restricted':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'min':
    case 'max':
      return limitProblem(field, value)
    case 'pattern':
      return typeof value === 'string' && value ? checkPattern(value) : 'must be text'
    case 'inverse':
      return typeof value === 'string' && value ? undefined : 'must be text'
    case 'format':
      return (dataTypes as readonly unknown[]).includes(value)
        ? undefined
        : `${value} is not a format`
    case 'was':
    case 'choices':
    case 'targets':
      return isListOfTexts(value) ? undefined : 'must be a list of distinct texts'
    default:
      return undefined
  }
}

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((text) => typeof text === 'string' && text !== '') &&
  new Set(value).size === value.length

function limitProblem(field: FieldData, value: unknown): string | undefined {
  if (isTime(field))
    return encodeScalar(field, value) === undefined ? `must be a ${field.kind}` : undefined
  const isCount = field.kind !== 'integer' && field.kind !== 'number'
  const isFit = isCount ? Number.isSafeInteger(value) && Number(value) >= 0 : Number.isFinite(value)
  return isFit ? undefined : 'must be a number, and for a length or a size a whole number from 0 on'
}

/** Returns a limit in comparable form: an instant in its canonical form, any other limit unchanged. */
const limitOf = ({ kind }: { readonly kind: Kind | 'one' | 'many' }, limit: number | string) =>
  kind === 'dateTime' ? (canonicalInstant(limit) ?? limit) : limit
