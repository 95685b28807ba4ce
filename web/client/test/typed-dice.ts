import type { FieldData, SchemaData } from '../src/schema/index.ts'
import * as s from '../src/schema/index.ts'

/** Random choices from a seed. */
export class Dice {
  readonly #next: () => number

  constructor(next: () => number) {
    this.#next = next
  }

  /** Returns a whole number from 0 to n - 1. */
  roll(n: number): number {
    return Math.floor(this.#next() * n)
  }

  /** Returns true with a probability of 1 in n. */
  once(n: number): boolean {
    return this.roll(n) === 0
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T
  }
}

const partNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const

/** Returns two versions of a random schema with the types `thing…` and `team…`. */
export function randomVersions(dice: Dice, suffix: string): readonly [SchemaData, SchemaData] {
  const first = Object.fromEntries(partNames.slice(0, 4).map((name) => [name, randomField(dice)]))
  const second: Record<string, FieldData> = {}
  const free: string[] = partNames.slice(4)
  for (const [name, field] of Object.entries(first)) {
    const change = dice.roll(6)
    const renamed = change === 3 ? free.pop() : undefined
    if (renamed) second[renamed] = { ...field, was: [name] }
    else if (change === 1) second[name] = { ...field, required: !field.required }
    else if (change === 2) second[name] = randomField(dice)
    else if (change > 0) second[name] = field
  }
  return [versionOf(dice, suffix, first), versionOf(dice, suffix, second)]
}

function versionOf(dice: Dice, suffix: string, fields: Record<string, FieldData>): SchemaData {
  const [thing, team] = [`thing${suffix}`, `team${suffix}`]
  const owner: FieldData = { kind: 'one', targets: [team] }
  return {
    types: {
      [thing]: {
        fields: {
          code: { kind: 'text', unique: true },
          n: { kind: 'integer', ...(dice.once(2) && { max: 5 }) },
          ...fields,
          owner: dice.once(3) ? { ...owner, required: true } : owner,
          lead: { kind: 'one', targets: [thing] },
          mates: { kind: 'many', targets: [thing] },
          fans: { kind: 'many', targets: [thing], inverse: 'mates' },
        },
      },
      [team]: {
        fields: {
          name: { kind: 'text', ...(dice.once(2) && { required: true }) },
          things: { kind: 'many', targets: [thing], inverse: 'owner' },
        },
      },
    },
  }
}

const item: FieldData = { kind: 'text', max: 2 }

function randomField(dice: Dice): FieldData {
  const required = dice.once(4) && { required: true }
  const unique = dice.once(4) && { unique: true }
  switch (dice.roll(8)) {
    case 0:
    case 1:
      return { kind: 'text', max: 1 + dice.roll(3), ...required, ...unique }
    case 2:
      return { kind: 'integer', min: dice.roll(3), max: 2 + dice.roll(3), ...required, ...unique }
    case 3:
      return { kind: 'boolean', ...required, ...(dice.once(2) && { default: false }) }
    case 4:
      return { kind: 'choice', choices: ['1', 'true'], ...required }
    case 5:
      return { kind: 'list', of: item, ...(dice.once(2) && { max: 2 }), ...required }
    case 6:
      return { kind: 'list', of: randomRecord(dice) }
    default:
      return { ...randomRecord(dice), ...required }
  }
}

const randomRecord = (dice: Dice): FieldData => ({
  kind: 'record',
  fields: {
    x: { kind: 'text', max: 2 },
    y: { kind: 'integer', ...(dice.once(2) && { required: true }) },
  },
})

/** Returns a random input of a field, which is mostly valid. */
export function randomInput(dice: Dice, field: FieldData): unknown {
  if (dice.once(50)) return dice.pick([null, undefined, 7, 'wide', ['wide'], { x: 5 }, true])
  switch (field.kind) {
    case 'integer':
      return dice.roll(5)
    case 'boolean':
      return dice.once(2)
    case 'choice':
      return dice.pick(['1', 'true'])
    case 'list':
      return Array.from({ length: dice.roll(4) }, () => randomInput(dice, field.of as FieldData))
    case 'record':
      return {
        x: dice.pick(['', 'p', 'qq', null]),
        y: dice.once(20) ? undefined : dice.roll(3),
      }
    default:
      return dice.pick(['', '1', '2', 'x', 'x', 'w', dice.once(3) ? 'yy' : 'v'])
  }
}

/** Returns random parts of a record as a client without a schema writes them. */
export function randomParts(dice: Dice): Record<string, unknown> {
  const parts: Record<string, unknown> = {}
  for (const name of [...partNames, 'code', 'n']) {
    if (name === 'n' ? dice.once(4) : dice.once(2))
      parts[name] =
        name === 'n'
          ? String(dice.roll(9))
          : dice.pick<unknown>([
              '',
              '1',
              '2',
              'true',
              'false',
              'x',
              'yy',
              '2.0',
              ['p'],
              [],
              { y: '1' },
            ])
  }
  return typeof parts['code'] === 'object' ? { ...parts, code: 'x' } : parts
}

/** Returns the builders that describe a schema. */
export const buildersOf = ({ types }: SchemaData): s.SchemaShape =>
  Object.fromEntries(
    Object.entries(types).map(([type, { fields }]) => [type, mapValues(fields, builderOf)]),
  )

const mapValues = <T>(fields: Readonly<Record<string, FieldData>>, f: (field: FieldData) => T) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, f(field)]))

// biome-ignore lint/suspicious/noExplicitAny: the types of builders are made for literal schemas.
function builderOf(field: FieldData): any {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  let builder: any = kindOf(field)
  if (field.required) builder = builder.required()
  if (field.unique) builder = builder.unique()
  if (field.default !== undefined) builder = builder.default(field.default)
  if (field.min !== undefined) builder = builder.min(field.min)
  if (field.max !== undefined) builder = builder.max(field.max)
  if (field.was) builder = builder.was(...field.was)
  return builder
}

function kindOf({ kind, choices = [], targets = [], inverse, of, fields }: FieldData): unknown {
  const [target = ''] = targets
  switch (kind) {
    case 'choice':
      return s.choice(...choices)
    case 'list':
      return s.list(builderOf(of as FieldData))
    case 'record':
      return s.record(mapValues(fields ?? {}, builderOf))
    case 'one':
      return s.one(target)
    case 'many':
      return inverse === undefined ? s.many(target) : s.many(target, inverse)
    case 'integer':
      return s.integer()
    case 'boolean':
      return s.boolean()
    default:
      return s.text()
  }
}
