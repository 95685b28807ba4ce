import { css } from '@codemirror/lang-css'
import { html } from '@codemirror/lang-html'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import type { Extension } from '@codemirror/state'
import { CodeEditor, type EditorProps } from './code-editor.tsx'

/**
 * An editor for a file of a widget. The file extension determines the language. Also pass the name as the `key`: the
 * language of a mounted editor does not change.
 */
export function FileEditor({ name, ...props }: EditorProps & { readonly name: string }) {
  return <CodeEditor {...props} extensions={() => languageOf(name)} />
}

/** Returns the language of a file, by its extension. */
export function languageOf(name: string): Extension {
  if (name.endsWith('.html')) return html()
  if (name.endsWith('.css')) return css()
  if (name.endsWith('.js')) return javascript()
  return json()
}
