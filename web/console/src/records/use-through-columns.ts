import { useEffect, useMemo, useState } from 'react'
import type { ConsoleType } from '../model/types.ts'
import { type Column, columnsOf, type FoundType, throughColumn } from './columns.ts'
import { loadFound } from './use-columns.ts'

/** Maximum number of links that a column may follow. */
const maxDepth = 4

/**
 * Adds columns of linked records, such as Customer › City. The columns of directly linked records are always offered. Columns
 * behind further links are offered only if the address names one of them.
 */
export function useThroughColumns(
  columns: readonly Column[],
  named: readonly string[],
  types: readonly ConsoleType[],
): readonly Column[] {
  const [found, setFound] = useState<ReadonlyMap<string, FoundType>>(new Map())
  const all = useMemo(() => expand(columns, named, types, found), [columns, named, types, found])
  const missing = all.missing.join(' ')
  useEffect(() => {
    for (const name of missing.split(' ').filter((one) => one !== '')) {
      const count = types.find((type) => type.name === name)?.count ?? 0
      loadFound(name, count).then(
        (type) => setFound((known) => new Map(known).set(name, type)),
        () => {
          // The columns of this type are not offered; the grid works without them.
        },
      )
    }
  }, [missing, types])
  return all.columns
}

interface Expanded {
  readonly columns: readonly Column[]
  /** Types whose fields are not loaded. */
  readonly missing: readonly string[]
}

function expand(
  columns: readonly Column[],
  named: readonly string[],
  types: readonly ConsoleType[],
  found: ReadonlyMap<string, FoundType>,
): Expanded {
  const all = [...columns]
  const missing = new Set<string>()
  for (let at = 0; at < all.length; at++) {
    const link = all[at] as Column
    const depth = link.key.split('>').length
    const isWanted = depth === 1 || named.some((key) => key.startsWith(`${link.key}>`))
    if (link.target === undefined || depth > maxDepth || !isWanted) continue
    const type = types.find(({ name }) => name === link.target)
    const fields = found.get(link.target)
    if (!type) continue
    if (fields) all.push(...columnsOf(type, fields).map((column) => throughColumn(link, column)))
    else missing.add(link.target)
  }
  return { columns: all, missing: [...missing] }
}
