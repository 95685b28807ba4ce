import { json, jsonParseLinter } from '@codemirror/lang-json'
import { type Diagnostic, linter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { CodeEditor, type EditorProps, faultChanged } from './code-editor.tsx'

interface JsonEditorProps extends EditorProps {
  /** Further extensions, such as completion. Only the value of the first render is used. */
  readonly more?: Extension
}

/** An editor for JSON. It marks syntax errors, and the `fault` of the server until the text changes. */
export function JsonEditor({ more = [], ...props }: JsonEditorProps) {
  return <CodeEditor {...props} extensions={(current) => [json(), errorMarks(current), more]} />
}

const errorMarks = (props: () => EditorProps): Extension =>
  linter(
    (view) => {
      const { fault } = props()
      const text = view.state.doc.toString()
      const diagnostics: Diagnostic[] = text.trim() === '' ? [] : [...jsonParseLinter()(view)]
      if (fault && fault.text === text)
        diagnostics.push({ ...fault.range, message: fault.message, severity: 'error' })
      return diagnostics
    },
    {
      delay: 400,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(faultChanged))),
    },
  )
