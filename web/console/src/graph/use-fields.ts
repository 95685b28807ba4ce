import type { Id } from '@weft/client'
import { useQuery } from '@weft/react'
import { useMemo } from 'react'
import { fieldLabel } from '../model/names.ts'
import type { LinkGroup } from './api.ts'
import { type Drawing, shownNodes } from './drawing.ts'
import type { FieldValues } from './looks.ts'

/** The maximum number of records whose fields are read. */
const maxRead = 1_000

/** A row contains the record under the name of its type. */
interface Row extends Readonly<Record<string, unknown>> {
  readonly id: Id
}

/** Returns the fields of the drawn records, by the names that users see. Nothing is read while `isWanted` is false. */
export function useFields(drawing: Drawing, isWanted: boolean): FieldValues {
  const ids = shownNodes(drawing)
    .filter(({ kind, id }) => kind === 'record' && id > 0)
    .map(({ id }) => id)
    .slice(0, maxRead)
  const links = fieldLinks([...drawing.groups.values()].flat())
  const query =
    isWanted && ids.length > 0
      ? { conceptIds: ids, pageSize: ids.length, selectors: ['self', ...links] }
      : { conceptIds: [0], pageSize: 1 } // a query without results, because a hook must not be skipped
  const state = useQuery<Row>(query, { format: 'NORMAL' })
  const data = state.status === 'ready' ? state.data : undefined
  return useMemo(
    () => new Map(isWanted ? (data ?? []).map((row) => [row.id, fieldsOf(row)]) : []),
    [data, isWanted],
  )
}

/** Returns the links whose targets may be fields. */
const fieldLinks = (groups: readonly LinkGroup[]): readonly string[] =>
  [
    ...new Set(
      groups.filter(({ reverse, type }) => !reverse && type !== '').map(({ type }) => type),
    ),
  ].slice(0, 50)

/** Returns the text values of a record: its own, and those of links that lead to exactly one value. */
function fieldsOf(row: Row): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const [type, record] of Object.entries(row)) {
    if (typeof record !== 'object' || record === null) continue
    for (const [name, value] of Object.entries(record)) {
      const text = textOf(value)
      if (text !== undefined) fields[fieldLabel(name, type)] = text
    }
  }
  return fields
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const inside = Object.values(value)
  if (inside.length !== 1) return undefined
  const [only] = inside
  return typeof only === 'string' ? only : undefined
}

/** Returns the names of the fields that at least one record has, in alphabetical order. */
export const fieldNames = (values: FieldValues): readonly string[] =>
  [...new Set([...values.values()].flatMap((fields) => Object.keys(fields)))].toSorted()
