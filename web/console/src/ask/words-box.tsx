import { type FormEvent, useEffect, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { type Finding, useFound } from '../model/found.ts'
import { fieldLabel, namesOf } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import { useTypes } from '../model/types.ts'
import { Icon } from '../parts/icon.tsx'
import { type NamedPart, readSentence } from './question/plain-words.ts'
import { readQuestion, type WireQuery } from './question/wire.ts'
import { ownerOf } from './question/words.ts'

interface WordsBoxProps {
  /** Called with the resulting question, and a note about how it was made from the words. */
  readonly ask: (query: WireQuery, note: string) => void
}

/**
 * A question in words. A small grammar parses it. If the server has a language model, the model gets the sentences that
 * the grammar refuses.
 */
export function WordsBox({ ask }: WordsBoxProps) {
  const { request } = useConsole()
  const { types } = useTypes()
  const records = types.filter(({ kind }) => kind === 'record')
  const [text, setText] = useState('')
  const [problem, setProblem] = useState('')
  const [hasModel, setHasModel] = useState(false)
  const named = records.find(({ names }) => mentions(text, names.many) || mentions(text, names.one))
  const find = useFound(named ? [named.name] : [])
  useEffect(() => {
    request<{ on?: boolean }>('/api/v1/ask').then(
      ({ on }) => setHasModel(on === true),
      () => setHasModel(false),
    )
  }, [request])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    const reading = readSentence(text, records, (type) => partsOf(find(type)))
    if (reading.status === 'understood') {
      setProblem('')
      ask(reading.query, 'read from your words, without a language model')
      return
    }
    if (!hasModel) {
      setProblem(
        `${reading.reason} Try “orders where status is open”, or build the question below.`,
      )
      return
    }
    setProblem('Waiting for the language model…')
    try {
      const { query } = await request<{ query: unknown }>('/api/v1/ask', {
        json: { question: text },
      })
      const read = readQuestion(query)
      setProblem(read ? '' : 'The language model returned no question.')
      if (read) ask(read, 'proposed by the language model: check it before you trust the answer')
    } catch (error) {
      setProblem(errorText(error))
    }
  }
  return (
    <form className="words" onSubmit={(event) => void submit(event)}>
      <label className="find grow">
        <Icon name="ask" />
        <span className="unseen">Ask in words</span>
        <input
          value={text}
          maxLength={500}
          autoComplete="off"
          placeholder={exampleOf(records.map(({ names }) => names.many))}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" className="button quiet desk">
        Ask in words <kbd>↵</kbd>
      </button>
      {problem !== '' && (
        <p className="problem" role="status">
          {problem}
        </p>
      )}
    </form>
  )
}

const mentions = (text: string, name: string): boolean =>
  text.toLowerCase().includes(name.toLowerCase())

const exampleOf = ([first]: readonly string[]): string =>
  first === undefined ? 'Ask in words' : `Ask in words: how many ${first.toLowerCase()} by …`

/** Returns the fields and links of a type that the grammar can name. */
function partsOf(finding: Finding): readonly NamedPart[] {
  if (finding.status !== 'ready') return []
  const { fields, links } = finding.found
  return [
    ...fields.map(({ name }) => ({
      words: fieldLabel(name),
      connection: undefined,
      part: `the_${name}`,
    })),
    ...links
      .filter(({ reverse }) => !reverse)
      .map(({ connection, types }) => ({
        words: fieldLabel(connection, ownerOf(connection)) || namesOf(types[0] ?? '').one,
        connection,
        part: undefined,
      })),
  ]
}
