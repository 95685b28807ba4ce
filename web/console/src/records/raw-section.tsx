import { useState } from 'react'
import { errorText, request } from '../model/request.ts'
import type { ConsoleType } from '../model/types.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import type { Row } from './cell.ts'

interface RawSectionProps {
  readonly type: ConsoleType
  readonly id: number
  readonly row: Row
}

/** For developers: the record as JSON, code that reads it, and its concepts and connections. */
export function RawSection({ type, id, row }: RawSectionProps) {
  const [raw, setRaw] = useState<string>()
  const code = `await weft.load(${id}) // ${type.name}`
  const load = async () => {
    try {
      setRaw(JSON.stringify(await request(`/api/freeschema-query`, rawQuery(id)), null, 2))
    } catch (error) {
      setRaw(errorText(error))
    }
  }
  return (
    <section className="section u" aria-label="For developers">
      <h2>
        For developers <small>{`${type.name}, id ${id}`}</small>
      </h2>
      <p className="acts">
        <CopyButton text={JSON.stringify(plainOf(row), null, 2)}>Copy as JSON</CopyButton>
        <CopyButton text={code}>Copy code that reads this</CopyButton>
        <button type="button" className="button quiet" onClick={() => void load()}>
          Concepts and connections
        </button>
      </p>
      {raw !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        <pre className="raw" tabIndex={0}>
          {raw}
        </pre>
      )}
    </section>
  )
}

const rawQuery = (id: number) => ({
  json: { conceptIds: [id], selectors: ['self'], outputFormat: 5 },
})

const plainOf = ({ id, data }: Row) => ({ id, ...data })
