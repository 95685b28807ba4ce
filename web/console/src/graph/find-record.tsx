import { useEffect, useId, useRef, useState } from 'react'
import { errorText } from '../model/request.ts'
import { type ConsoleType, reloadTypes, useTypes } from '../model/types.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { type NodeInfo, searchRecords } from './api.ts'
import { nodeName } from './names.ts'

/** Delay after the last typed letter until the search, in milliseconds. */
const typingDelay = 200

interface FindRecordProps {
  readonly choose: (node: NodeInfo) => void
  /** The only type to search. If undefined, the user chooses a type. */
  readonly type?: string
  /** The id of a record that is not offered. */
  readonly except?: number
  /** The verb before the name of each match, for screen readers: "Draw". */
  readonly verb?: string
}

/** A form that finds a record by its type and a text. Every match is a button. */
export function FindRecord(props: FindRecordProps) {
  const { types, status, error } = useTypes()
  if (status === 'loading') return <Loading>Still loading the types.</Loading>
  if (status === 'error') return <Failed error={error} retry={() => void reloadTypes()} />
  return <FindForm {...props} types={types} />
}

function FindForm({
  choose,
  type: onlyType,
  except,
  verb = 'Choose',
  types,
}: FindRecordProps & { readonly types: readonly ConsoleType[] }) {
  const records = types.filter(({ kind, count }) => kind === 'record' && count > 0)
  const [chosenType, setChosenType] = useState(onlyType)
  const [text, setText] = useState('')
  const type = onlyType ?? chosenType ?? records[0]?.name
  const { found, error, isDone } = useSearch(type, text)
  const id = useId()
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (search.current?.closest('dialog')) search.current.focus()
  }, [])
  return (
    <div className="graph-find">
      {onlyType === undefined && (
        <label className="field">
          <span>Type</span>
          <select value={type} onChange={(event) => setChosenType(event.target.value)}>
            {records.map(({ name, names }) => (
              <option key={name} value={name}>
                {names.many}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="field">
        <span>Contains</span>
        <input
          ref={search}
          type="search"
          value={text}
          placeholder="Any text of the record"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <p id={id} className="soft" role="status">
        {error ?? (isDone ? matchText(found.length) : '')}
      </p>
      <ul className="graph-found" aria-describedby={id}>
        {found
          .filter((node) => node.id !== except)
          .map((node) => (
            <li key={node.id}>
              <button type="button" onClick={() => choose(node)}>
                <span className="unseen">{verb} </span>
                {nodeName(node)}
              </button>
            </li>
          ))}
      </ul>
    </div>
  )
}

const matchText = (n: number): string =>
  n === 0 ? 'No record contains this text.' : n === 20 ? 'The 20 newest matches.' : ''

function useSearch(type: string | undefined, text: string) {
  const [state, setState] = useState<{
    readonly found: readonly NodeInfo[]
    readonly error: string | undefined
    readonly isDone: boolean
  }>({ found: [], error: undefined, isDone: false })
  useEffect(() => {
    if (type === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      searchRecords(type, text).then(
        (found) => isCurrent && setState({ found, error: undefined, isDone: true }),
        (error) => isCurrent && setState({ found: [], error: errorText(error), isDone: true }),
      )
    }, typingDelay)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [type, text])
  return state
}
