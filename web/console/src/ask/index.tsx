import { findErrorRange } from '@weft/code/error-position'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useActions, useConsole, useKeys, useSummary } from '../model/console.tsx'
import { showKeys } from '../model/keys.ts'
import { useLocation } from '../model/router.ts'
import { Main } from '../parts/frame.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { Builder } from './builder.tsx'
import { CodePanel } from './code-panel.tsx'
import { addToHistory, readHistory } from './history.ts'
import { sentenceOf } from './question/sentence.ts'
import { formatQuestion, parseQuestion } from './question/wire.ts'
import { Result } from './results/result.tsx'
import { NoSuchQuestion, SaveDialog, SavedMenu, type SavedQuestion, useSaved } from './saved.tsx'
import { useAnswer } from './use-answer.ts'
import { textOf, useQuestion } from './use-question.ts'
import { WordsBox } from './words-box.tsx'
import './ask.css'

/** Ask: a question in words, in the builder and as code, with its live answer. */
export function Room() {
  const { rest } = useLocation()
  const saved = useSaved()
  if (rest[0] === 'q') return <SavedRoom slug={rest[1] ?? ''} saved={saved} />
  return <AskRoom saved={saved ?? []} />
}

/** Opens a saved question by changing to the address of the question. */
function SavedRoom({ slug, saved }: { slug: string; saved: readonly SavedQuestion[] | undefined }) {
  const { navigate } = useConsole()
  const found = saved?.find((one) => one.slug === slug)
  useEffect(() => {
    if (found) navigate(`/ask?${found.search}`, { replace: true })
  }, [found, navigate])
  return (
    <Main label="Ask">
      {saved && !found ? (
        <NoSuchQuestion slug={slug} />
      ) : (
        <Loading>Still loading the saved question.</Loading>
      )}
    </Main>
  )
}

function AskRoom({ saved }: { saved: readonly SavedQuestion[] }) {
  const { session, navigate } = useConsole()
  const { params } = useLocation()
  const question = useQuestion()
  const { query } = question
  const [asked, setAsked] = useState(() => (textOf(query) === '' ? undefined : query))
  const [origin, setOrigin] = useState('')
  const [isSaving, setSaving] = useState(false)
  const { state, took, refresh } = useAnswer(asked)
  const isAsked = asked !== undefined && textOf(asked) === textOf(query)
  const run = useCallback(() => {
    if (textOf(query) === '') return
    addToHistory(session.userId, textOf(query))
    if (isAsked) refresh()
    else setAsked(query)
  }, [query, session.userId, isAsked, refresh])
  const openSave = useCallback(() => setSaving(true), [])
  useRoomKeys(run, openSave)
  useSummary(isAsked ? 'Live: the answer changes when the data changes' : '')
  const addressOf = (changes: Readonly<Record<string, string | undefined>>) =>
    addressOfRoom(params, changes)
  const fault = useMemo(() => {
    if (state.status !== 'error' || !isAsked) return undefined
    const text = formatQuestion(query)
    const range = findErrorRange(state.error.message, text)
    return range && { text, range, message: state.error.message }
  }, [state, isAsked, query])
  return (
    <Main label="Ask">
      <h1 className="unseen">Ask</h1>
      <div className="bar ruled ask-bar">
        <WordsBox
          ask={(next, note) => {
            question.change(`Asked in words: ${sentenceOf(next)}`, next)
            setOrigin(note)
            setAsked(next)
          }}
        />
        <HistoryMenu
          user={session.userId}
          open={(text) => navigate(`/ask?${new URLSearchParams({ query: text })}`)}
        />
        <SavedMenu saved={saved} />
        <button type="button" className="button quiet" onClick={openSave}>
          Save
        </button>
        <button type="button" className="button" onClick={run}>
          Run <kbd className="desk">{showKeys('mod+enter')}</kbd>
        </button>
      </div>
      <div className="ask">
        <div className="ask-left">
          <div className="bar">
            <h2>Question</h2>
            <span className="grow" />
            <span className="soft desk">{origin}</span>
          </div>
          <Builder question={question} />
          <CodePanel question={question} fault={fault} run={run} />
        </div>
        <div className="ask-right">
          {asked === undefined ? (
            <Empty
              title={
                question.isMalformed
                  ? 'The address does not contain a valid question'
                  : 'Ask a question'
              }
            >
              <p>
                Choose a type under “Find”, add conditions and fields, then run the question. Or
                write it in words above.
              </p>
            </Empty>
          ) : (
            <>
              {!isAsked && (
                <p className="note c" role="status">
                  This is the answer to the question before your changes.
                </p>
              )}
              <Result
                query={asked}
                state={state}
                took={took}
                refresh={refresh}
                addressOf={addressOf}
              />
            </>
          )}
        </div>
      </div>
      <SaveDialog
        key={String(isSaving)}
        isOpen={isSaving}
        close={() => setSaving(false)}
        saved={saved}
      />
    </Main>
  )
}

/** Returns the address of the room with some parameters changed. */
function addressOfRoom(
  params: URLSearchParams,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  return `/ask?${next}`
}

function useRoomKeys(run: () => void, save: () => void): void {
  useKeys(
    useMemo(
      () => [
        { keys: 'mod+enter', label: 'Run the question', group: 'Ask', run, inFields: true },
        { keys: 'mod+s', label: 'Save the question', group: 'Ask', run: save, inFields: true },
      ],
      [run, save],
    ),
  )
  useActions(
    useMemo(
      () => [
        { id: 'ask-run', label: 'Run the question', keys: 'mod+enter', run },
        { id: 'ask-save', label: 'Save the question', keys: 'mod+s', run: save },
      ],
      [run, save],
    ),
  )
}

function HistoryMenu({ user, open }: { user: number | undefined; open: (query: string) => void }) {
  const entries = readHistory(user)
  return (
    <Menu label="History" button="History">
      {entries.length === 0 && (
        <p className="menu-title">Questions that you run are listed here, in this browser.</p>
      )}
      {entries.map(({ query, at }) => (
        <MenuItem key={query} run={() => open(query)}>
          {sentenceOf(parseQuestion(query) ?? {})}
          <small className="soft"> {new Date(at).toLocaleString()}</small>
        </MenuItem>
      ))}
    </Menu>
  )
}
