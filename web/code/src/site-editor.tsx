import { css } from '@codemirror/lang-css'
import { html } from '@codemirror/lang-html'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import type { Extension } from '@codemirror/state'
import { CodeEditor, type EditorProps } from './code-editor.tsx'

/**
 * An editor for a file of a widget. The end of its name decides the language. Pass the name as the `key`, too: the
 * language of a mounted editor does not change.
 */
export function FileEditor({ name, ...props }: EditorProps & { readonly name: string }) {
  return <CodeEditor {...props} extensions={() => languageOf(name)} />
}

/** Returns the language of a file, which the end of its name decides. */
export function languageOf(name: string): Extension {
  if (name.endsWith('.html')) return html()
  if (name.endsWith('.css')) return css()
  if (name.endsWith('.js')) return javascript()
  return json()
}
