import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint'
import { EditorState, StateEffect } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import type { Stretch } from './place.ts'

/** What somebody has refused in a text, and why. */
export interface Fault {
  readonly text: string
  readonly at: Stretch
  readonly message: string
}

interface EditorProps {
  readonly label: string
  readonly text: string
  readonly fault: Fault | undefined
  readonly onChange: (text: string) => void
  readonly onRun: () => void
}

/** An editor for JSON. It lives in a shadow tree, where its styles need no permission of the page's policy. */
export function Editor(props: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(props)
  const { text, fault } = props

  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    if (host.current === null) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const opened = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          ...tools(latest.current.label),
          ...hears(() => latest.current),
          marks(() => latest.current),
        ],
      }),
    })
    view.current = opened
    return () => opened.destroy()
  }, [])
  useEffect(() => {
    const doc = view.current?.state.doc
    if (doc === undefined || doc.toString() === text) return
    view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
  }, [text])
  useEffect(() => {
    if (view.current === undefined) return
    const selection = fault && { selection: { anchor: fault.at.from }, scrollIntoView: true }
    view.current.dispatch({ effects: refused.of(fault), ...selection })
    forceLinting(view.current)
  }, [fault])
  return <div ref={host} className="schema-editor" />
}

const refused = StateEffect.define<Fault | undefined>()

/** Marks what is no JSON, and what was refused as long as the text is the one that was. */
const marks = (props: () => EditorProps) =>
  linter(
    (view) => {
      const { fault } = props()
      const said: Diagnostic[] = [...jsonParseLinter()(view)]
      if (fault && fault.text === view.state.doc.toString())
        said.push({ ...fault.at, message: fault.message, severity: 'error' })
      return said
    },
    {
      delay: 400,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(refused))),
    },
  )

const hears = (props: () => EditorProps) => [
  EditorView.updateListener.of((update) => {
    if (update.docChanged) props().onChange(update.state.doc.toString())
  }),
  keymap.of([
    {
      key: 'Mod-Enter',
      run: () => {
        props().onRun()
        return true
      },
    },
    ...defaultKeymap,
    ...historyKeymap,
  ]),
]

const tools = (label: string) => [
  lineNumbers(),
  lintGutter(),
  history(),
  bracketMatching(),
  indentOnInput(),
  EditorView.lineWrapping,
  json(),
  syntaxHighlighting(dyed),
  look,
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
]

const dyed = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--indigo)' },
  { tag: tags.string, color: 'var(--verdigris)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--madder)' },
  { tag: tags.punctuation, color: 'var(--ink-soft)' },
])

const look = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--cloth-raised)',
    border: '1.5px solid var(--ink-soft)',
    borderRadius: '3px',
    fontSize: '0.9rem',
  },
  '&.cm-focused': { outline: '3px solid var(--focus)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', maxHeight: '26rem', overflow: 'auto' },
  '.cm-content, .cm-gutter': { minHeight: '14rem' },
  '.cm-content': { caretColor: 'var(--ink)', paddingBlock: '0.75rem' },
  '.cm-gutters': {
    backgroundColor: 'var(--cloth-sunk)',
    color: 'var(--ink-soft)',
    border: '0',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--cloth)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--madder)' },
})
