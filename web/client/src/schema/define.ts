import { WeftError } from '../model/error.ts'
import {
  type AnyField,
  type AnyLink,
  describeAll,
  type Link,
  type Need,
  type SchemaData,
  type TypeShape,
} from './fields.ts'
import { extendClient } from './typed-client.ts'
import type { Schema, TypedClient } from './types.ts'

export type SchemaShape = Readonly<Record<string, TypeShape>>

/** A compile error of a schema. The compiler prints `Message`. */
interface SchemaError<Message extends string> {
  readonly error: Message
}

type Reserved = 'id' | 'or' | 'and' | 'not' | `_${string}`

/** Accepts schemas without reserved field names. Their links must name existing types and inverse links. */
export type CheckSchema<S> = {
  readonly [T in keyof S]: {
    readonly [K in keyof S[T]]: K extends Reserved
      ? SchemaError<`'${K}' is a reserved name`>
      : S[T][K] extends Link<infer Target, infer Inverse, Need>
        ? [Target] extends [keyof S]
          ? Inverse extends string
            ? CheckInverse<S, T, Target & keyof S, Inverse>
            : unknown
          : SchemaError<`'${Exclude<Target, keyof S>}' is not a type of this schema`>
        : unknown
  }
}

type CheckInverse<
  S,
  T,
  Target extends keyof S,
  Inverse extends string,
> = Inverse extends keyof S[Target]
  ? S[Target][Inverse] extends Link<infer Back, false, Need>
    ? T extends Back
      ? unknown
      : SchemaError<`'${Target & string}.${Inverse}' does not link to '${T & string}'`>
    : SchemaError<`'${Target & string}.${Inverse}' is not a link that is stored with '${Target & string}'`>
  : SchemaError<`'${Target & string}' has no link '${Inverse}'`>

/**
 * Declares the types of an application. Throws `invalid` for a link whose target type or inverse link is not in the
 * schema; the compiler also refuses such a link. Contradictions between the rules of a field are reported later, when
 * the code for queries is loaded.
 */
export function defineSchema<S extends SchemaShape>(types: S & CheckSchema<S>): Schema<S> {
  const described = Object.entries<Readonly<Record<string, AnyField | AnyLink>>>(types).map(
    ([type, fields]) => [type, { fields: describeAll(fields) }],
  )
  const data: SchemaData = { types: Object.fromEntries(described) }
  checkLinks(data)
  return {
    shape: types,
    data,
    extend: (client, options) => extendClient(data, client, options) as TypedClient<S>,
  }
}

function checkLinks({ types }: SchemaData): void {
  const fieldsOf = (type: string) => (Object.hasOwn(types, type) ? types[type]?.fields : undefined)
  for (const type of Object.keys(types)) {
    for (const [name, { targets = [], inverse }] of Object.entries(fieldsOf(type) ?? {})) {
      for (const target of targets) {
        const far = fieldsOf(target)
        const isKnown = far && (inverse === undefined || far[inverse]?.targets?.includes(type))
        if (!isKnown)
          throw new WeftError(
            'invalid',
            `${type}.${name} has no link to ${target}.${inverse ?? ''}`,
          )
      }
    }
  }
}
