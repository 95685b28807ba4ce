import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { forceLinting, lintGutter } from '@codemirror/lint'
import { EditorState, type Extension, StateEffect } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import type { TextRange } from './error-position.ts'
import { replaceSelection } from './replace-selection.ts'
import { highlightStyle, theme } from './theme.ts'

/** An error that the server reported for the text of an editor. */
export interface EditorFault {
  /** The text that was sent to the server. The error is shown until the text of the editor changes. */
  readonly text: string
  readonly range: TextRange
  readonly message: string
}

/** The properties of all editors. */
export interface EditorProps {
  readonly label: string
  readonly text: string
  readonly fault?: EditorFault | undefined
  readonly onChange: (text: string) => void
  /** Whether the text can be read and copied but not changed. The property of the first render counts. */
  readonly isReadOnly?: boolean
  /** Called for ⌘↵ or Ctrl+Enter. Without it, these keys have no special effect. */
  readonly onRun?: (() => void) | undefined
  /** Class name of the element around the editor. */
  readonly className?: string
}

interface CodeEditorProps extends EditorProps {
  /** Returns the language and further extensions. Called once; the extensions may read the current properties. */
  readonly extensions: (props: () => EditorProps) => Extension
}

/**
 * An editor for code. It is rendered in a shadow tree, because the Content-Security-Policy of the page blocks inline
 * styles.
 */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(props)
  // The texts that were passed to onChange and have not yet returned as the property `text`.
  const reported = useRef<string[]>([])
  const { text, fault, className } = props

  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    if (host.current === null) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const current = () => ({
      ...latest.current,
      onChange: (changed: string) => {
        reported.current.push(changed)
        latest.current.onChange(changed)
      },
    })
    const created = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          latest.current.extensions(current),
          ...editingExtensions(latest.current.label),
          ...(latest.current.isReadOnly ? readOnly : []),
          ...callbackExtensions(current),
        ],
      }),
    })
    view.current = created
    return () => created.destroy()
  }, [])
  useEffect(() => {
    const doc = view.current?.state.doc
    if (doc === undefined) return
    if (doc.toString() !== text) {
      // Effects run after the page was painted, so the user may have typed more since `text` was reported. Inserting
      // `text` would remove these characters.
      const echo = reported.current.indexOf(text)
      if (echo >= 0) {
        reported.current.splice(0, echo + 1)
        return
      }
      view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
    }
    reported.current = []
  }, [text])
  useEffect(() => {
    if (view.current === undefined) return
    const selection = fault && { selection: { anchor: fault.range.from }, scrollIntoView: true }
    view.current.dispatch({ effects: faultChanged.of(fault), ...selection })
    forceLinting(view.current)
  }, [fault])
  return <div ref={host} className={className} />
}

/** The effect of a new or removed fault. */
export const faultChanged = StateEffect.define<EditorFault | undefined>()

const callbackExtensions = (props: () => EditorProps): readonly Extension[] => [
  EditorView.updateListener.of((update) => {
    if (update.docChanged) props().onChange(update.state.doc.toString())
  }),
  keymap.of([
    {
      key: 'Mod-Enter',
      run: () => {
        props().onRun?.()
        return props().onRun !== undefined
      },
    },
    ...defaultKeymap,
    ...historyKeymap,
  ]),
]

const readOnly: readonly Extension[] = [
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
]

const editingExtensions = (label: string): readonly Extension[] => [
  lineNumbers(),
  lintGutter(),
  history(),
  bracketMatching(),
  indentOnInput(),
  replaceSelection,
  EditorView.lineWrapping,
  syntaxHighlighting(highlightStyle),
  theme,
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
]
