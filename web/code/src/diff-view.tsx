import { syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { languageOf } from './site-editor.tsx'
import { highlightStyle, theme } from './theme.ts'

/**
 * Shows the differences between two versions of a file line by line, removed lines above added lines. The view is
 * read-only.
 */
export function DiffView({
  name,
  label,
  before,
  after,
}: {
  readonly name: string
  readonly label: string
  readonly before: string
  readonly after: string
}) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (host.current === null) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          languageOf(name),
          syntaxHighlighting(highlightStyle),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
          theme,
          changeColors,
          EditorView.contentAttributes.of({ 'aria-label': label }),
        ],
      }),
    })
    return () => view.destroy()
  }, [name, label, before, after])
  return <div ref={host} />
}

const changeColors = EditorView.theme({
  '.cm-changedLine, .cm-insertedLine': {
    backgroundColor: 'color-mix(in srgb, var(--verdigris) 14%, transparent)',
  },
  '.cm-deletedChunk': { backgroundColor: 'color-mix(in srgb, var(--madder) 12%, transparent)' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--verdigris) 26%, transparent)' },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--madder) 24%, transparent)',
  },
  '.cm-collapsedLines': { color: 'var(--ink-soft)', background: 'var(--cloth-sunk)' },
})
