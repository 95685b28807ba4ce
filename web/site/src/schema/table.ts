/** A flat result with one row for each record. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly {
    readonly id: number
    readonly cells: Readonly<Record<string, string>>
  }[]
}

/** Returns the rows of a result; undefined if no record has a field, or if a field does not hold exactly one value. */
export function rowsOf(data: readonly unknown[]): Table | undefined {
  const columns = new Set<string>(['id'])
  const rows: { id: number; cells: Record<string, string> }[] = []
  for (const record of data) {
    const row = rowOf(record)
    if (row === undefined) return undefined
    for (const column of Object.keys(row.cells)) columns.add(column)
    rows.push(row)
  }
  return columns.size > 1 ? { columns: [...columns], rows } : undefined
}

function rowOf(record: unknown) {
  if (!isObject(record)) return undefined
  const { id, ...rest } = record
  const cells: Record<string, string> = { id: String(id) }
  for (const [type, inside] of Object.entries(rest)) {
    const fields = isObject(inside) ? Object.entries(inside) : [[type, inside] as const]
    for (const [name, value] of fields) {
      const text = textIn(value)
      if (text === undefined) return undefined
      cells[name] = text
    }
  }
  return { id: Number(id), cells }
}

/** Returns the only string or number inside a value, as text; undefined if there are none or several. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (!isObject(value)) return undefined
  const [only, more] = Object.entries(value).filter(([name]) => name !== 'id')
  return only === undefined || more !== undefined ? undefined : textIn(only[1])
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
