import { WeftError } from '../model/error.ts'
import type { DataType } from '../validate/data-type.ts'

/*
 * Builders of fields and links. A builder describes one member of a type twice: at run time as the stored form of the
 * schema (`describe`), and at compile time under the key `typing`, which has no value at run time.
 *
 * Links name their target as a string, so two types can refer to each other without annotations. Types read `typing` by
 * indexed access and never by `infer`: the cost of checking a schema is proportional to the number of its fields.
 */

/** Key of the type information of a field or link. It exists only at compile time. */
export declare const typing: unique symbol

/** Identifies a record of type T. A negative number is a local id, which stays valid after sync. */
export type Id<T extends string = string> = number & { readonly [typing]: T }

/** A calendar day such as `2026-02-28`, without time and time zone. */
export type Day = string

/** Values that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** An instant as input: a `Date`, an ISO 8601 string with a zone, or any object with `epochMilliseconds` such as `Temporal.Instant`. */
export type Instant = Date | string | { readonly epochMilliseconds: number }

/** An uploaded file. */
export interface StoredFile {
  readonly url: string
  readonly name: string
  /** Media type, such as `image/png`. */
  readonly type: string
  /** Size in bytes. */
  readonly size: number
}

/**
 * `optional`: may be left out, and is then read as null. `required`: must be given. `filled`: may be left out, and is
 * never read as null, because it has a default.
 */
export type Need = 'optional' | 'required' | 'filled'

/** Kinds of fields. `FieldData` is the form of a field in a stored schema. */
export type Kind =
  | 'text'
  | 'longText'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'dateTime'
  | 'json'
  | 'file'
  | 'choice'
  | 'list'
  | 'record'

/** The compile-time properties of a field: its type in rows, in inputs and in filters, and whether it must be given. */
interface FieldTyping {
  readonly row: unknown
  readonly input: unknown
  readonly where: unknown
  readonly need: Need
  readonly unique: boolean
}

/** A field or link of a stored schema. Go and TypeScript read and write the same form. */
export interface FieldData {
  readonly kind: Kind | 'one' | 'many'
  readonly required?: boolean
  readonly unique?: boolean
  readonly restricted?: boolean
  readonly default?: unknown
  /** Minimum of a number or day, of the length of text in code points, or of the number of items in a list. */
  readonly min?: number | string
  readonly max?: number | string
  readonly pattern?: string
  readonly format?: string
  readonly choices?: readonly string[]
  /** Kind of the items of a list. */
  readonly of?: FieldData
  /** Fields of a nested record. */
  readonly fields?: Readonly<Record<string, FieldData>>
  /** Former names of the field. Data stored under a former name is still read. */
  readonly was?: readonly string[]
  /** Types that a link leads to. */
  readonly targets?: readonly string[]
  /** Name of a link of the target type. This link is its inverse: it leads back to the records that link here. */
  readonly inverse?: string
}

/** A stored schema: what `weft schema pull` prints and `weft schema push` accepts. */
export interface SchemaData {
  readonly types: Readonly<Record<string, TypeData>>
}
export interface TypeData {
  readonly fields: Readonly<Record<string, FieldData>>
}

export interface AnyField {
  readonly kind: Kind
  /** Returns the stored form. */
  describe(): FieldData
  readonly [typing]: FieldTyping
}

interface Typing<Row, Input, Where, N extends Need, U extends boolean> {
  readonly row: Row
  readonly input: Input
  readonly where: Where
  readonly need: N
  readonly unique: U
}

/**
 * Members that all fields share. K: kind; V: value as read; I: value as written; W: filter; E: `null` while the field
 * is optional; N: need; U: whether the field is unique.
 */
interface FieldBase<K extends Kind, V, I, W, E, N extends Need, U extends boolean> {
  readonly kind: K
  describe(): FieldData
  readonly [typing]: Typing<V | E, I, W | E, N, U>
}

// ── Filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Filters of a text field. All of them ignore letter case. `like` matches the parts between percent signs, in that
 * order: `a%b` is the same as `%a%b%`.
 */
interface TextFilter {
  readonly eq?: string
  readonly ne?: string
  readonly in?: readonly string[]
  readonly contains?: string
  readonly startsWith?: string
  readonly like?: string
  readonly gt?: string
  readonly gte?: string
  readonly lt?: string
  readonly lte?: string
  readonly exists?: boolean
}
interface NumberFilter {
  readonly eq?: number
  readonly ne?: number
  readonly in?: readonly number[]
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly exists?: boolean
}
interface BooleanFilter {
  readonly eq?: boolean
  readonly ne?: boolean
  readonly exists?: boolean
}
interface DayFilter {
  readonly eq?: Day
  readonly ne?: Day
  readonly in?: readonly Day[]
  readonly gt?: Day
  readonly gte?: Day
  readonly lt?: Day
  readonly lte?: Day
  readonly exists?: boolean
}
export interface InstantFilter {
  readonly eq?: Instant
  readonly ne?: Instant
  readonly gt?: Instant
  readonly gte?: Instant
  readonly lt?: Instant
  readonly lte?: Instant
  readonly exists?: boolean
}
interface ChoiceFilter<V> {
  readonly eq?: V
  readonly ne?: V
  readonly in?: readonly V[]
  readonly exists?: boolean
}
interface ListFilter<V> {
  readonly has?: V
  readonly hasSome?: readonly V[]
  readonly hasEvery?: readonly V[]
  readonly isEmpty?: boolean
}
interface ExistsFilter {
  readonly exists?: boolean
}

// ── Fields ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface TextField<E, N extends Need, U extends boolean>
  extends FieldBase<'text' | 'longText', string, string, string | TextFilter, E, N, U> {
  required(): TextField<Exclude<E, null>, 'required', U>
  default(value: string): TextField<Exclude<E, null>, 'filled', U>
  unique(): TextField<E, N, true>
  restricted(): TextField<E | undefined, N, U>
  min(length: number): this
  max(length: number): this
  pattern(pattern: RegExp): this
  format(format: TextFormat): this
  was(...names: string[]): this
}
export interface NumberField<K extends 'integer' | 'number', E, N extends Need, U extends boolean>
  extends FieldBase<K, number, number, number | NumberFilter, E, N, U> {
  required(): NumberField<K, Exclude<E, null>, 'required', U>
  default(value: number): NumberField<K, Exclude<E, null>, 'filled', U>
  unique(): NumberField<K, E, N, true>
  restricted(): NumberField<K, E | undefined, N, U>
  min(value: number): this
  max(value: number): this
  was(...names: string[]): this
}
export interface BooleanField<E, N extends Need>
  extends FieldBase<'boolean', boolean, boolean, boolean | BooleanFilter, E, N, false> {
  required(): BooleanField<Exclude<E, null>, 'required'>
  default(value: boolean): BooleanField<Exclude<E, null>, 'filled'>
  restricted(): BooleanField<E | undefined, N>
  was(...names: string[]): this
}
export interface DateField<E, N extends Need>
  extends FieldBase<'date', Day, Day, Day | DayFilter, E, N, false> {
  required(): DateField<Exclude<E, null>, 'required'>
  default(value: Day | 'today'): DateField<Exclude<E, null>, 'filled'>
  restricted(): DateField<E | undefined, N>
  min(day: Day): this
  max(day: Day): this
  was(...names: string[]): this
}
export interface DateTimeField<E, N extends Need>
  extends FieldBase<'dateTime', Date, Instant, Instant | InstantFilter, E, N, false> {
  required(): DateTimeField<Exclude<E, null>, 'required'>
  default(value: Date | 'now'): DateTimeField<Exclude<E, null>, 'filled'>
  restricted(): DateTimeField<E | undefined, N>
  was(...names: string[]): this
}
export interface JsonField<V, E, N extends Need>
  extends FieldBase<'json', V, V, ExistsFilter, E, N, false> {
  required(): JsonField<V, Exclude<E, null>, 'required'>
  default(value: V): JsonField<V, Exclude<E, null>, 'filled'>
  restricted(): JsonField<V, E | undefined, N>
  was(...names: string[]): this
}
export interface FileField<E, N extends Need>
  extends FieldBase<'file', StoredFile, StoredFile, ExistsFilter, E, N, false> {
  required(): FileField<Exclude<E, null>, 'required'>
  restricted(): FileField<E | undefined, N>
  max(bytes: number): this
  was(...names: string[]): this
}
export interface ChoiceField<V extends string, E, N extends Need>
  extends FieldBase<'choice', V, V, V | ChoiceFilter<V>, E, N, false> {
  required(): ChoiceField<V, Exclude<E, null>, 'required'>
  default(value: V): ChoiceField<V, Exclude<E, null>, 'filled'>
  restricted(): ChoiceField<V, E | undefined, N>
  was(...names: string[]): this
}
/** A list without a stored value is read as `[]`, never as null. */
export interface ListField<V, I, N extends Need>
  extends FieldBase<'list', readonly V[], readonly I[], ListFilter<I>, never, N, false> {
  required(): ListField<V, I, 'required'>
  min(count: number): this
  max(count: number): this
  was(...names: string[]): this
}

/** Formats of a text field: the data types of `@weft/client/validate`. */
type TextFormat = DataType

export type Fields = Readonly<Record<string, AnyField>>

/**
 * A record nested in another record. It is owned by the outer record, and read and removed with it, but has its own id.
 */
export interface PartField<F extends Fields, E, N extends Need>
  extends FieldBase<'record', PartRow<F>, PartInput<F>, PartWhere<F>, E, N, false> {
  required(): PartField<F, Exclude<E, null>, 'required'>
  restricted(): PartField<F, E | undefined, N>
  was(...names: string[]): this
}
type PartRow<F extends Fields> = { readonly id: number } & {
  readonly [K in keyof F]: F[K][typeof typing]['row']
} extends infer R
  ? { readonly [K in keyof R]: R[K] }
  : never
type PartInput<F extends Fields> = InputOf<F>
type PartWhere<F extends Fields> = { readonly [K in keyof F]?: F[K][typeof typing]['where'] }

/** Keys that must be given on creation. */
export type RequiredKey<F> = {
  [K in keyof F]: F[K] extends { readonly [typing]: { readonly need: 'required' } } ? K : never
}[keyof F]

type Simplify<T> = { [K in keyof T]: T[K] }

/** Input of fields. Required fields must be given; the others accept null and undefined. */
type InputOf<F extends Fields> = Simplify<
  { readonly [K in RequiredKey<F>]: F[K][typeof typing]['input'] } & {
    readonly [K in Exclude<keyof F, RequiredKey<F>>]?:
      | F[K][typeof typing]['input']
      | null
      | undefined
  }
>

// ── Links ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A link to records of the target types. It is stored with its own record or, if it has an `Inverse`, with the target.
 */
export interface Link<Target extends string, Inverse extends string | false, N extends Need> {
  readonly kind: 'one' | 'many'
  describe(): FieldData
  readonly [typing]: { readonly target: Target; readonly inverse: Inverse; readonly need: N }
}
export interface OneLink<Target extends string, Inverse extends string | false, N extends Need>
  extends Link<Target, Inverse, N> {
  readonly kind: 'one'
  required(): OneLink<Target, Inverse, 'required'>
  was(...names: string[]): this
}
export interface ManyLink<Target extends string, Inverse extends string | false>
  extends Link<Target, Inverse, 'optional'> {
  readonly kind: 'many'
  was(...names: string[]): this
}
export type AnyLink = Link<string, string | false, Need>

// ── Builders ────────────────────────────────────────────────────────────────────────────────────────────────────────

export function text(): TextField<null, 'optional', false> {
  return build('text', {}) as never
}
export function longText(): TextField<null, 'optional', false> {
  return build('longText', {}) as never
}
export function integer(): NumberField<'integer', null, 'optional', false> {
  return build('integer', {}) as never
}
export function number(): NumberField<'number', null, 'optional', false> {
  return build('number', {}) as never
}
export function boolean(): BooleanField<null, 'optional'> {
  return build('boolean', {}) as never
}
export function date(): DateField<null, 'optional'> {
  return build('date', {}) as never
}
export function dateTime(): DateTimeField<null, 'optional'> {
  return build('dateTime', {}) as never
}
export function json<V = Json>(): JsonField<V, null, 'optional'> {
  return build('json', {}) as never
}
export function file(): FileField<null, 'optional'> {
  return build('file', {}) as never
}
/** One of the given strings. Also exported as `enum`, for imports such as `import * as s`: `s.enum('a', 'b')`. */
export function choice<const V extends string>(
  ...values: readonly V[]
): ChoiceField<V, null, 'optional'> {
  return build('choice', { choices: values }) as never
}
export { choice as enum }
export function list<F extends AnyField>(
  item: F,
): ListField<NonNullable<F[typeof typing]['row']>, F[typeof typing]['input'], 'optional'> {
  return build('list', { of: item.describe() }) as never
}
export function record<F extends Fields>(fields: F): PartField<F, null, 'optional'> {
  return build('record', { fields: describeAll(fields) }) as never
}

/** A link to at most one record. With `inverse`, it follows the connections of that link of the target in reverse. */
export function one<const T extends string>(target: T | readonly T[]): OneLink<T, false, 'optional'>
export function one<const T extends string, const I extends string>(
  target: T,
  inverse: I,
): OneLink<T, I, 'optional'>
export function one(target: string | readonly string[], inverse?: string): never {
  return build('one', {
    targets: [target].flat(),
    ...(inverse !== undefined && { inverse }),
  }) as never
}
/**
 * A link to any number of records. With `inverse`, it follows the connections of that link of the target in reverse.
 */
export function many<const T extends string>(target: T | readonly T[]): ManyLink<T, false>
export function many<const T extends string, const I extends string>(
  target: T,
  inverse: I,
): ManyLink<T, I>
export function many(target: string | readonly string[], inverse?: string): never {
  return build('many', {
    targets: [target].flat(),
    ...(inverse !== undefined && { inverse }),
  }) as never
}

/** Describes the members of a type, or the fields of a nested record. */
export function describeAll(fields: TypeShape): Record<string, FieldData> {
  const described: Record<string, FieldData> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field?.describe !== 'function')
      throw new WeftError('invalid', `${name} is ${JSON.stringify(field)}, not a field`)
    described[name] = field.describe()
  }
  return described
}

/** Creates a builder. Its methods return a new builder with one more rule. */
function build(kind: FieldData['kind'], rules: Omit<FieldData, 'kind'>): object {
  const data = { kind, ...rules }
  const add = (rule: Partial<FieldData>) => build(kind, { ...rules, ...rule })
  return {
    kind,
    describe: () => data,
    required: () => add({ required: true }),
    unique: () => add({ unique: true }),
    restricted: () => add({ restricted: true }),
    default: (value: unknown) =>
      add({ default: value instanceof Date ? value.toISOString() : value }),
    min: (min: number | string) => add({ min }),
    max: (max: number | string) => add({ max }),
    pattern: (pattern: RegExp) => add({ pattern: pattern.source }),
    format: (format: string) => add({ format }),
    was: (...was: string[]) => add({ was }),
  }
}

export type TypeShape = Readonly<Record<string, AnyField | AnyLink>>
