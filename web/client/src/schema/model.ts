import { WeftError } from '../model/error.ts'
import type { FieldData, SchemaData } from './fields.ts'
import { isLink } from './values.ts'

/*
 * Names of types, fields and links in the store:
 *
 *   record of the type `contact`            composition of the type `the_contact`
 *   field `age`                             part of the type `the_age`
 *   nested record or list `address`         part of the type `address`
 *   link `company` to one record            connection of the type `the_contact_company`
 *   link `groups` to many records           connections of the type `the_contact_s_groups`
 */

/** A type of the schema. */
export interface TypeModel {
  readonly name: string
  /** Name of the type in the store. */
  readonly storeName: string
  /** The fields, without links. */
  readonly fields: Readonly<Record<string, FieldData>>
  readonly links: Readonly<Record<string, LinkModel>>
  /** Fields and links in their stored form. */
  readonly members: Readonly<Record<string, FieldData>>
}

export interface LinkModel {
  readonly name: string
  readonly isMany: boolean
  /** Name of the type of its connections. */
  readonly connection: string
  /**
   * Whether the connections lead to this record instead of from it, because the link is the inverse of another link.
   */
  readonly isReverse: boolean
  readonly targets: readonly string[]
  readonly isRequired: boolean
}

/** The types of a schema by name. */
export class SchemaModel {
  readonly #data: SchemaData
  readonly #types = new Map<string, TypeModel>()

  constructor(data: SchemaData) {
    this.#data = data
  }

  /** Returns a type. Throws `invalid` for a name that is not in the schema. */
  type(name: string): TypeModel {
    let type = this.#types.get(name)
    if (!type) {
      const { types } = this.#data
      const data = Object.hasOwn(types, name) ? types[name] : undefined
      if (!data)
        throw new WeftError('invalid', `${JSON.stringify(name)} is not a type of the schema`)
      type = this.#createType(name, data.fields)
      this.#types.set(name, type)
    }
    return type
  }

  /** Returns the type that has a name in the store, such as `the_contact`; undefined if the schema has no such type. */
  ofStoreName(storeName: string): TypeModel | undefined {
    const name = storeName.slice(4)
    const isKnown = storeName === storeNameOf(name) && Object.hasOwn(this.#data.types, name)
    return isKnown ? this.type(name) : undefined
  }

  #createType(name: string, members: Readonly<Record<string, FieldData>>): TypeModel {
    const fields: Record<string, FieldData> = {}
    const links: Record<string, LinkModel> = {}
    for (const [member, data] of Object.entries(members)) {
      if (isLink(data)) links[member] = this.#createLink(name, member, data)
      else fields[member] = data
    }
    return { name, storeName: storeNameOf(name), fields, links, members }
  }

  #createLink(type: string, name: string, data: FieldData): LinkModel {
    const { kind, targets = [], inverse, required = false } = data
    const [target = ''] = targets
    const owner = inverse === undefined ? type : target
    const stored = inverse === undefined ? data : this.#data.types[target]?.fields[inverse]
    const role = `${stored?.kind === 'many' ? 's_' : ''}${inverse ?? name}`
    const connection = `${storeNameOf(owner)}_${role}`
    const isReverse = inverse !== undefined
    return { name, isMany: kind === 'many', connection, isReverse, targets, isRequired: required }
  }
}

const storeNameOf = (type: string): string => `the_${type}`

/**
 * Returns the types in the store that values of a field may have: first the type for its current name, then the types
 * for its former names.
 */
export const partTypes = (name: string, { kind, was = [] }: FieldData): readonly string[] =>
  [name, ...was].map((name) => (kind === 'list' || kind === 'record' ? name : `the_${name}`))
