import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The colours of code, which are those of the site. */
export const highlightStyle = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--indigo)' },
  { tag: tags.string, color: 'var(--verdigris)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--madder)' },
  { tag: tags.punctuation, color: 'var(--ink-soft)' },
])

/** The look of an editor. */
export const theme = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--cloth-raised)',
    border: '1.5px solid var(--ink-soft)',
    borderRadius: '3px',
    fontSize: '0.9rem',
  },
  '&.cm-focused': { outline: '3px solid var(--focus)', outlineOffset: '2px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    maxHeight: 'var(--editor-block-size, 26rem)',
    overflow: 'auto',
  },
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
