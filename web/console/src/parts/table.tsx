import type { ReactNode } from 'react'

/** A column of a plain table. */
export interface Column<T> {
  readonly name: string
  readonly cell: (row: T) => ReactNode
  /** Numbers are aligned at the end. */
  readonly isNumber?: boolean
  /** Times stay on one line. */
  readonly isTime?: boolean
}

/**
 * A plain table for lists of limited length. Long lists of records use the grid.
 *
 * @public
 */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string | number
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section className="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={isNumber ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber, isTime }) => (
                <td
                  key={name}
                  data-label={name}
                  className={isNumber ? 'num' : isTime ? 'time' : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
