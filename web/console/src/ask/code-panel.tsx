import type { EditorFault } from '@weft/code'
import { lazy, Suspense, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { useLocation } from '../model/router.ts'
import { useTypes } from '../model/types.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { curlOf } from './code/curl.ts'
import { goOf } from './code/go.ts'
import { typeScriptOf } from './code/typescript.ts'
import { formatQuestion, parseQuestion, type WireQuery } from './question/wire.ts'
import { type Question, textOf } from './use-question.ts'

const QueryEditor = lazy(() =>
  import('./query-editor.tsx').then(({ QueryEditor }) => ({ default: QueryEditor })),
)

const languages = [
  ['json', 'JSON'],
  ['ts', 'TypeScript'],
  ['go', 'Go'],
  ['curl', 'curl'],
] as const
type Language = (typeof languages)[number][0]

interface CodePanelProps {
  readonly question: Question
  readonly fault: EditorFault | undefined
  readonly run: () => void
}

/** The question as code: JSON that can be edited, and programs that ask it. */
export function CodePanel({ question, fault, run }: CodePanelProps) {
  const { params } = useLocation()
  const language = (params.get('code') ?? 'json') as Language
  const source = useSource(question.query, language)
  const [draft, setDraft] = useState<string>()
  const shown =
    draft !== undefined && isDraftOf(draft, question.query) ? draft : formatQuestion(question.query)
  const edit = (text: string) => {
    setDraft(text)
    const query = parseQuestion(text)
    if (query) question.change('Edited the JSON', query)
  }
  return (
    <section className="code-panel" aria-label="Code">
      <div className="bar ruled">
        <Tabs
          label="Language"
          tabs={languages.map(([id, label]) => ({
            to: addressWith(params, 'code', id === 'json' ? undefined : id),
            label,
            isCurrent: id === language,
          }))}
        />
        <span className="grow soft">{language === 'json' ? 'Can be edited' : ''}</span>
        <CopyButton text={language === 'json' ? shown : source} />
      </div>
      {language === 'json' ? (
        <Suspense fallback={<Loading>Still loading the editor.</Loading>}>
          <QueryEditor
            text={shown}
            fault={fault}
            onChange={edit}
            onRun={run}
            query={question.query}
          />
        </Suspense>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        <pre className="code" tabIndex={0}>
          {source}
        </pre>
      )}
    </section>
  )
}

/** Reports whether the edited JSON is the question, or is not valid JSON yet. */
function isDraftOf(draft: string, query: WireQuery): boolean {
  const parsed = parseQuestion(draft)
  return parsed === undefined || textOf(parsed) === textOf(query)
}

function useSource(query: WireQuery, language: Language): string {
  const { client } = useConsole()
  const { types } = useTypes()
  switch (language) {
    case 'go':
      return goOf(query, client.url)
    case 'curl':
      return curlOf(query, client.url)
    case 'ts':
      return typeScriptOf(query, client.url, declaredIn(types))
    case 'json':
      return ''
  }
}

const declaredIn = (types: ReturnType<typeof useTypes>['types']) =>
  Object.fromEntries(
    types.flatMap(({ name, declared }) =>
      declared ? [[name.replace(/^the_/, ''), declared]] : [],
    ),
  )

/** Returns the address of this room with another parameter. */
function addressWith(params: URLSearchParams, name: string, value: string | undefined): string {
  const next = new URLSearchParams(params)
  if (value === undefined) next.delete(name)
  else next.set(name, value)
  const search = next.toString()
  return search === '' ? '/ask' : `/ask?${search}`
}
