import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { type KeyOp, valuePredicate } from '../query/predicate.ts'
import type { Filter, Query } from '../query/query.ts'
import { foldCase } from '../query/values.ts'
import type { FieldData } from './fields.ts'
import { type LinkModel, partTypes, type SchemaModel, type TypeModel } from './model.ts'
import { encodeValue } from './record.ts'
import {
  canonicalInstant,
  encodeScalar,
  isComparableNumber,
  isNumeric,
  isPlainRecord,
  isText,
  readDefault,
} from './values.ts'

/*
 * Compiles `where` to the filters, logic and hops of a query.
 *
 *   { vip: true, company: { name: 'Acme' } }
 *
 *   hops     self (direct) n1 · the_contact_company n2 ─ self (direct) n3
 *   filters  f1 on n1: the_vip = true · f2 on n2: exists · f3 on n3: the_name = Acme
 *   logic    f1 AND (f2 EXAND (f3))
 *
 * - Conditions on a linked record are an EXAND that begins with the existence of that record. All of them must
 * therefore hold for one linked record.
 * - `ne` and `not` are negations, which also hold for records without a value. `every` means that no linked record
 * violates the conditions.
 * - A condition on a field with a default also holds for records without a value if it holds for the default.
 * - Conditions on lists, and a few on text, have no exact filter. For them the query has an inexact filter, which
 * passes too many records, and a test (`tests`) that is applied to the rows. If such a condition is inside an `or` or a
 * `not`, the test covers the whole `or` or `not`: each of its parts is compiled as a separate query, which runs on the
 * row in the browser. Inside links such conditions are refused.
 */

/**
 * A condition that is tested on the rows, because the query has no exact filter for it. `run` executes a query on the
 * local graph.
 */
type RowTest = (
  row: Readonly<Record<string, unknown>>,
  run: (query: Query) => { readonly roots: readonly Id[] },
) => boolean

export interface CompiledWhere {
  readonly hops: readonly Query[]
  readonly filters: readonly Filter[]
  /** Undefined if all records pass. */
  readonly logic: string | undefined
  /** The only records that can pass; undefined if any record can. */
  readonly ids: readonly Id[] | undefined
  readonly tests: readonly RowTest[]
  /** Hops that load the links that the tests follow. */
  readonly testHops: readonly Query[]
  /** The links that conditions follow, as hops that load the linked records. */
  readonly linkHops: readonly Query[]
}

export type Where = Readonly<Record<string, unknown>>

export interface WhereOptions {
  /** Words to search for in the values of the record. */
  readonly search?: string | undefined
  /** Path of the conditions, for error messages. */
  readonly path?: string
  /** Compiles to filters alone, without `ids` and `tests`. Conditions that need a test are refused. */
  readonly filtersOnly?: boolean
}

/** Compiles conditions on records of a type. Throws `invalid` for a malformed condition; the message names it. */
export function compileWhere(
  schema: SchemaModel,
  type: TypeModel,
  where: Where | undefined,
  options: WhereOptions = {},
): CompiledWhere {
  return new WhereCompiler(schema).compile(type, where ?? {}, options)
}

/** A part of the logic, or the constant value of a condition that holds for all records or for none. */
type Term = string | boolean

/** A node of the query: the root, or the hop of a link. */
interface RecordNode {
  readonly type: TypeModel
  /** Undefined for the root. */
  readonly name: string | undefined
  readonly hops: MutableHop[]
  /** Name of the hop to the parts of the record. */
  parts?: string
  /** Whether the conditions are on the root, and neither inside an `or` nor inside a `not`. */
  readonly isPlain: boolean
}
type MutableHop = Query & { readonly hops?: MutableHop[] }

class WhereCompiler {
  readonly #schema: SchemaModel
  readonly #filters: Filter[] = []
  readonly #tests: RowTest[] = []
  readonly #testHops: Query[] = []
  /** Whether a condition without an exact filter was compiled since this member was last set to false. */
  #isInexact = false
  #allowsTests = true
  #ids: readonly Id[] | undefined
  #count = 0

  constructor(schema: SchemaModel) {
    this.#schema = schema
  }

  compile(type: TypeModel, where: Where, options: WhereOptions): CompiledWhere {
    const { search, path = 'where', filtersOnly = false } = options
    const root: RecordNode = { type, name: undefined, hops: [], isPlain: !filtersOnly }
    this.#allowsTests = !filtersOnly
    const searched = search === undefined ? true : this.#search(root, search)
    const term = all([this.#record(root, where, path), searched])
    const logic =
      term === true ? undefined : term || this.#filter(root, { type: 'id', search: '0' })
    return {
      hops: root.hops,
      filters: this.#filters,
      logic,
      ids: this.#ids,
      tests: this.#tests,
      testHops: this.#testHops,
      linkHops: loadingHops(root.hops),
    }
  }

  #record(node: RecordNode, where: unknown, path: string): Term {
    if (!isPlainRecord(where)) refuse(path, 'is not an object of conditions')
    return all(
      Object.entries(where).map(([key, condition]) => {
        const at = `${path}.${key}`
        if (condition === undefined)
          refuse(at, 'is undefined; leave it out, or use null for records without a value')
        return this.#condition(node, key, condition, at)
      }),
    )
  }

  #condition(node: RecordNode, key: string, condition: unknown, at: string): Term {
    const inner: RecordNode = { ...node, isPlain: false }
    const record = (inside: unknown, path: string) => this.#shared(node, inner, inside, path)
    switch (key) {
      case 'and':
        return all(listOf(condition, at).map((part, i) => this.#record(node, part, `${at}.${i}`)))
      case 'or':
        return this.#testedIfInexact(node, listOf(condition, at), at, () =>
          any(listOf(condition, at).map((part, i) => record(part, `${at}.${i}`))),
        )
      case 'not':
        return this.#testedIfInexact(node, condition, at, () => {
          const term = record(condition, at)
          // An inexact filter passes too many records, so its negation would lose records. It is left out.
          return this.#isInexact || negate(term)
        })
      case 'id':
        return this.#id(node, condition, at)
      case '_createdAt':
        return this.#meta(node, 'entry_timestamp', condition, at)
      case '_owner':
        return this.#filter(node, { type: 'user_id', search: String(condition) })
    }
    const { fields, links } = node.type
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (field) return this.#field(node, { name: key, path: [key], field }, condition, at)
    const link = Object.hasOwn(links, key) ? links[key] : undefined
    return link ? this.#link(node, link, condition, at) : refuse(at, 'is not a field or link')
  }

  /**
   * Returns the term of an `or`, whose `parts` are a list, or of a `not`. If a part has no exact filter, a test is added: one of the
   * alternatives must hold for the row, or the negated condition must not hold.
   */
  #testedIfInexact(node: RecordNode, parts: unknown, at: string, compile: () => Term): Term {
    const wasInexact = this.#isInexact
    this.#isInexact = false
    const filterCount = this.#filters.length
    const term = compile()
    if (term === true) this.#filters.length = filterCount
    if (this.#isInexact && node.isPlain) {
      const isNegation = !Array.isArray(parts)
      const tests = (isNegation ? [parts] : parts).map((part) => this.#rowTest(node, part, at))
      this.#tests.push((row, run) => tests.some((test) => test(row, run)) !== isNegation)
      this.#isInexact = wasInexact
    } else this.#isInexact ||= wasInexact
    return term
  }

  /** Returns a test that applies conditions to one row, compiled as a separate query. */
  #rowTest({ type }: RecordNode, where: unknown, path: string): RowTest {
    const part = new WhereCompiler(this.#schema).compile(type, where as Where, { path })
    const { hops, filters, logic, ids, tests } = part
    this.#testHops.push(...part.linkHops, ...part.testHops)
    return (row, run) => {
      const { id } = row as { readonly id: Id }
      const conceptIds = ids ?? [id]
      const isFound = () =>
        run({
          conceptIds,
          pageSize: Math.max(conceptIds.length, 1),
          hops,
          filters,
          logic: logic ?? '',
        }).roots.includes(id)
      if ((logic !== undefined || ids) && !isFound()) return false
      return tests.every((test) => test(row, run))
    }
  }

  /**
   * Compiles the conditions of an alternative or a negation. `inner` uses the same hop to the parts of the record as
   * `node`.
   */
  #shared(node: RecordNode, inner: RecordNode, where: unknown, path: string): Term {
    if (node.parts !== undefined) inner.parts = node.parts
    const term = this.#record(inner, where, path)
    if (inner.parts !== undefined) node.parts = inner.parts
    return term
  }

  #id(node: RecordNode, condition: unknown, at: string): Term {
    const ids = isPlainRecord(condition)
      ? listOf((condition as { in?: unknown }).in, `${at}.in`)
      : [condition]
    if (!ids.every((id) => Number.isSafeInteger(id) && id !== 0)) refuse(at, 'is not an id')
    if (!node.isPlain || this.#ids)
      return this.#anyOf(
        node,
        ids.map((id) => ({ type: 'id', search: String(id) })),
      )
    this.#ids = ids as Id[]
    return ids.length > 0
  }

  /** Compares a property of the record itself. */
  #meta(node: RecordNode, type: string, condition: unknown, at: string): Term {
    const operators =
      isPlainRecord(condition) && !isInstant(condition) ? condition : { eq: condition }
    return all(
      Object.entries(operators).map(([operator, operand]) => {
        if (operator === 'exists') return operand === true
        const search = canonicalInstant(operand)
        const op = comparisons[operator]
        if (search === undefined || !op)
          return refuse(`${at}.${operator}`, 'is not a comparison with a time')
        const term = this.#filter(node, { type, op, search })
        return operator === 'ne' ? negate(term) : term
      }),
    )
  }

  // ── Fields ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #field(node: RecordNode, part: Part, condition: unknown, at: string): Term {
    const { field } = part
    if (condition === null) return negate(this.#exists(node, part))
    if (field.kind === 'list') return this.#list(node, part, condition, at)
    if (field.kind === 'record') return this.#nested(node, part, condition, at)
    const isOperators = isPlainRecord(condition) && !isInstant(condition)
    return all(
      Object.entries(isOperators ? condition : { eq: condition }).map(([operator, operand]) => {
        const path = isOperators ? `${at}.${operator}` : at
        if (operand === undefined) refuse(path, 'is undefined; leave it out')
        return this.#operator(node, part, { operator, operand, path })
      }),
    )
  }

  #operator(node: RecordNode, part: Part, { operator, operand, path }: Operation): Term {
    const { field } = part
    if (operator === 'exists')
      return operand === true ? this.#exists(node, part) : negate(this.#exists(node, part))
    if (operator === 'ne')
      return operand === null
        ? this.#exists(node, part)
        : negate(this.#operator(node, part, { operator: 'eq', operand, path }))
    if (operand === null && operator === 'eq') return negate(this.#exists(node, part))
    if (field.kind === 'json' || field.kind === 'file') return refuse(path, 'has no such operator')
    const operands = operator === 'in' ? listOf(operand, path) : [operand]
    const texts = operands.map((value) => this.#operand(part, value, path))
    if (isNumeric(field) && isRange(operator))
      for (const text of texts)
        if (!isComparableNumber(text))
          refuse(path, `is ${text}; comparisons take numbers with up to 15 digits, so round it`)
    const term = this.#compare(node, part, { operator, texts, path })
    const byDefault = encodeScalar(field, readDefault(field))
    if (byDefault === undefined || term === true) return term
    const holds = texts.some((text) => holdsForText(operator, byDefault, text))
    return holds ? any([term, negate(this.#exists(node, part))]) : term
  }

  #operand({ name, field }: Part, value: unknown, path: string): string {
    const text = value === null ? undefined : encodeScalar(field, value)
    if (text !== undefined) return text
    const [refusal] = encodeValue(name, field, value ?? '\0').refusals
    throw new WeftError('invalid', `${path}: ${refusal?.message ?? 'has no value'}`)
  }

  #compare(node: RecordNode, part: Part, { operator, texts, path }: Comparison): Term {
    const op = comparisons[operator]
    if (op)
      return this.#part(
        node,
        part,
        texts.map((search) => ({ op, search })),
      )
    const [text = ''] = texts
    const addTest = () =>
      this.#test(node, path, (row) =>
        holdsForText(operator, String(valueAt(row, part) ?? ''), text),
      )
    if (!isText(part.field)) return refuse(path, 'is not an operator of this kind')
    switch (operator) {
      case 'like':
        return this.#part(node, part, [{ op: 'like', search: text }])
      case 'contains':
        if (text.includes('%')) addTest()
        return this.#part(node, part, [{ op: 'like', search: `%${text}%` }])
      case 'startsWith': {
        // The engine compares strings that look like numbers or times by their value, so a range would be wrong for
        // them.
        if (text === '' || /^[-\d]/.test(text) || text.includes('%')) {
          addTest()
          return this.#part(node, part, [{ op: 'like', search: `%${text}%` }])
        }
        const from = this.#part(node, part, [{ op: '>=', search: text }])
        return all([from, this.#part(node, part, [{ op: '<', search: `${text}\u{10ffff}` }])])
      }
    }
    return refuse(path, 'is not an operator')
  }

  #exists(node: RecordNode, part: Part): Term {
    return this.#part(node, part, [{ op: 'exists' }])
  }

  /** Returns the term of several comparisons with the parts of a field. At least one of them must hold. */
  #part(node: RecordNode, part: Part, comparisons: readonly Omit<Filter, 'name'>[]): Term {
    const on = this.#parts(node, part.path.length === 1)
    return this.#anyOf(
      node,
      comparisons.flatMap((filter) =>
        partTypes(part.name, part.field).map((type) => ({ ...filter, on, type })),
      ),
    )
  }

  /**
   * Returns the name of the hop to the parts of a record: its own parts or, if not direct, also the parts of
   * nested records.
   */
  #parts(node: RecordNode, isDirect: boolean): string {
    if (isDirect && node.parts !== undefined) return node.parts
    const name = `n${++this.#count}`
    node.hops.push({ connection: 'self', name, ...(isDirect && { direct: true }) })
    if (isDirect) node.parts = name
    return name
  }

  #nested(node: RecordNode, part: Part, condition: unknown, at: string): Term {
    if (!isPlainRecord(condition)) return refuse(at, 'is not an object of conditions')
    return all(
      Object.entries(condition).map(([name, inner]) => {
        const path = `${at}.${name}`
        if (inner === undefined) refuse(path, 'is undefined; leave it out')
        if (name === 'exists')
          return inner === true ? this.#exists(node, part) : negate(this.#exists(node, part))
        const { fields = {} } = part.field
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined
        if (!field) return refuse(path, 'is not a field')
        if (countOf(node.type.fields, name) > 1)
          refuse(
            path,
            'is the name of several fields of the record, and filters cannot distinguish them',
          )
        return this.#field(node, { name, path: [...part.path, name], field }, inner, path)
      }),
    )
  }

  #list(node: RecordNode, part: Part, condition: unknown, at: string): Term {
    if (!isPlainRecord(condition)) return refuse(at, 'is not an object of list operators')
    const of = part.field.of as FieldData
    return all(
      Object.entries(condition).map(([operator, operand]) => {
        const path = `${at}.${operator}`
        if (operand === undefined) refuse(path, 'is undefined; leave it out')
        const itemsOf = (row: Readonly<Record<string, unknown>>) =>
          ((valueAt(row, part) ?? []) as unknown[]).map((item) => encodeScalar(of, item) ?? '')
        if (operator === 'isEmpty') {
          this.#test(node, path, (row) => (itemsOf(row).length === 0) === operand)
          return operand === true || this.#exists(node, part)
        }
        const wanted = (operator === 'has' ? [operand] : listOf(operand, path)).map((item) =>
          this.#operand({ ...part, field: of }, item, path),
        )
        const isAny = operator === 'hasSome'
        if (!isAny && operator !== 'has' && operator !== 'hasEvery')
          refuse(path, 'is not a list operator')
        this.#test(node, path, (row) => {
          const items = itemsOf(row)
          return isAny
            ? wanted.some((text) => items.includes(text))
            : wanted.every((text) => items.includes(text))
        })
        const on = this.#parts(node, false)
        const terms = wanted.map((search) => this.#anyOf(node, [{ on, search }]))
        return isAny ? any(terms) : all(terms)
      }),
    )
  }

  #test(node: RecordNode, path: string, test: RowTest): void {
    if (!this.#allowsTests || node.name !== undefined)
      refuse(path, 'is only possible on the records of the query, not on linked ones')
    if (node.isPlain) this.#tests.push(test)
    else this.#isInexact = true
  }

  #search(root: RecordNode, words: string): Term {
    const types = Object.entries(root.type.fields).flatMap(([name, field]) =>
      isText(field) || field.kind === 'choice' ? partTypes(name, field) : [],
    )
    const on = this.#parts(root, true)
    return all(
      words
        .split(/\s+/)
        .filter((word) => word !== '')
        .map((word) =>
          this.#anyOf(
            root,
            types.map((type) => ({ on, type, op: 'like', search: `%${word}%` })),
          ),
        ),
    )
  }

  // ── Links ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #link(node: RecordNode, link: LinkModel, condition: unknown, at: string): Term {
    if (link.isMany) {
      if (!isPlainRecord(condition)) return refuse(at, 'needs some, every or none')
      return all(
        Object.entries(condition).map(([quantifier, where]) => {
          const path = `${at}.${quantifier}`
          if (where === undefined) refuse(path, 'is undefined; leave it out')
          if (quantifier === 'some') return this.#some(node, link, where, path)
          if (quantifier === 'none') return negate(this.#some(node, link, where, path))
          if (quantifier === 'every') return negate(this.#some(node, link, where, path, true))
          return refuse(path, 'is not one of some, every and none')
        }),
      )
    }
    if (condition === null) return negate(this.#some(node, link, {}, at))
    if (typeof condition === 'number') return this.#some(node, link, { id: condition }, at)
    if (!isPlainRecord(condition))
      return refuse(at, 'is not an id, null or an object of conditions')
    const { exists, ...where } = condition
    if (exists === false) return negate(this.#some(node, link, where, at))
    return this.#some(node, link, where, at)
  }

  /** Returns the term for "a linked record meets the conditions"; if negated, for "a linked record does not meet them". */
  #some(node: RecordNode, link: LinkModel, where: unknown, at: string, isNegated = false): Term {
    const name = `n${++this.#count}`
    const hops: MutableHop[] = []
    const { connection, isReverse, targets } = link
    node.hops.push({ connection, name, hops, ...(isReverse && { reverse: true }) })
    const [target = ''] = targets
    const linked = { type: this.#schema.type(target), name, hops, isPlain: false }
    const term =
      targets.length > 1 ? this.#union(linked, where, at) : this.#record(linked, where, at)
    const inside = isNegated ? negate(term) : term
    if (inside === false) return false
    const exists = this.#filter(linked, { op: 'exists' })
    return inside === true ? exists : `(${exists} EXAND ${inside})`
  }

  #union(node: RecordNode, where: unknown, at: string): Term {
    if (!isPlainRecord(where)) return refuse(at, 'is not an id, null or an object of conditions')
    return all(
      Object.entries(where).map(([key, condition]) => {
        if (key === 'id') return this.#id(node, condition, `${at}.id`)
        if (key !== '_type')
          return refuse(`${at}.${key}`, 'is not a condition on records of several types')
        return this.#filter(node, {
          op: 'exists',
          type: this.#schema.type(String(condition)).storeName,
        })
      }),
    )
  }

  // ── Filters ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Adds a filter on the record of a node, or on the node `on`. */
  #filter(node: RecordNode, filter: Omit<Filter, 'name'>): string {
    return this.#anyOf(node, [filter]) as string
  }

  /** Adds filters with the same name. At least one of them must hold. */
  #anyOf(node: RecordNode, filters: readonly Omit<Filter, 'name'>[]): Term {
    if (filters.length === 0) return false
    const name = `f${++this.#count}`
    const on = node.name === undefined ? {} : { on: node.name }
    for (const filter of filters) this.#filters.push({ ...on, ...filter, name })
    return name
  }
}

/** A field, and the path of names that leads to it from the record. */
interface Part {
  readonly name: string
  readonly path: readonly string[]
  readonly field: FieldData
}
interface Operation {
  readonly operator: string
  readonly operand: unknown
  readonly path: string
}
interface Comparison {
  readonly operator: string
  readonly texts: readonly string[]
  readonly path: string
}

const comparisons: Readonly<Record<string, KeyOp>> = {
  eq: '=',
  in: '=',
  ne: '=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

const isRange = (operator: string): boolean => /^[gl]te?$/.test(operator)

const isInstant = (value: object): boolean => 'epochMilliseconds' in value

function all(terms: readonly Term[]): Term {
  if (terms.includes(false)) return false
  return joinTerms(terms.filter((term) => term !== true) as string[], 'AND', true)
}

function any(terms: readonly Term[]): Term {
  if (terms.includes(true)) return true
  return joinTerms(terms.filter((term) => term !== false) as string[], 'OR', false)
}

function joinTerms(terms: readonly string[], operator: string, empty: boolean): Term {
  const [first] = terms
  if (first === undefined) return empty
  return terms.length === 1 ? first : `(${terms.join(` ${operator} `)})`
}

const negate = (term: Term): Term => (typeof term === 'string' ? `(NOT ${term})` : !term)

function listOf(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(path, 'is not a list')
}

function refuse(path: string, reason: string): never {
  throw new WeftError('invalid', `${path} ${reason}`)
}

/** Reports whether a comparison holds for a stored text, as the filters of the server compare. */
function holdsForText(operator: string, value: string, text: string): boolean {
  switch (operator) {
    case 'contains':
      return foldCase(value).includes(foldCase(text))
    case 'startsWith':
      return foldCase(value).startsWith(foldCase(text))
    default:
      return valuePredicate(comparisons[operator] ?? 'like', text)({ value })
  }
}

const valueAt = (row: Readonly<Record<string, unknown>>, { path }: Part): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], row)

/** Counts the fields with a name in a record and in the records nested in it. */
const countOf = (fields: Readonly<Record<string, FieldData>>, name: string): number =>
  Object.entries(fields).reduce((count, [key, field]) => {
    const inner = field.fields ?? field.of?.fields ?? {}
    return count + Number(key === name || field.was?.includes(name)) + countOf(inner, name)
  }, 0)

/** Returns the hops of links, changed so that they load whole records. Hops to parts are left out. */
const loadingHops = (hops: readonly MutableHop[]): readonly Query[] =>
  hops
    .filter((hop) => hop.connection !== 'self')
    .map(({ connection, reverse, hops = [] }) => ({
      ...(connection !== undefined && { connection }),
      ...(reverse && { reverse }),
      include: true,
      selectors: ['self'],
      hops: loadingHops(hops),
    }))
