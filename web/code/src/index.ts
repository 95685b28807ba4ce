/*
 * The code editor of the site and the console: CodeMirror in a shadow tree, with the colours of the site. Editors with more
 * languages, completion and differences are separate entry points, so that a page loads only the parts that it uses.
 *
 *   CodeEditor   an editor without a language
 *   JsonEditor   an editor for JSON, with marks at errors
 */
export type { EditorFault, EditorProps } from './code-editor.tsx'
export { findErrorRange, type TextRange } from './error-position.ts'
export { JsonEditor } from './json-editor.tsx'
