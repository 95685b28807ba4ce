import type { Files } from './api.ts'

/** Edited files that are not saved yet. They survive a reload of the tab. */
export interface Draft {
  /** The version that was edited. */
  readonly base: number
  readonly files: Files
}

const keyOf = (name: string): string => `weft-console-draft:${name}`

/** Returns the draft of a widget in this tab; undefined if there is none. */
export function readDraft(name: string): Draft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null') as Draft | null
    return draft ?? undefined
  } catch {
    return undefined
  }
}

/** Stores the draft of a widget in this tab; undefined removes it. */
export function storeDraft(name: string, draft: Draft | undefined): void {
  try {
    if (draft) sessionStorage.setItem(keyOf(name), JSON.stringify(draft))
    else sessionStorage.removeItem(keyOf(name))
  } catch {
    // The storage is full: the draft is lost when the tab is reloaded.
  }
}

/** Returns the names of files that differ, in the order in which tabs show them. */
export const changedFiles = (before: Files, after: Files): readonly string[] =>
  fileNames({ ...before, ...after }).filter((name) => (before[name] ?? '') !== (after[name] ?? ''))

/** Returns the names of files in the order of their tabs: HTML, CSS, code, settings. */
export function fileNames(files: Files): readonly string[] {
  const code = Object.keys(files)
    .filter((name) => name.endsWith('.js'))
    .toSorted()
  return ['widget.html', 'widget.css', ...code, 'widget.json']
}

/** Returns the files to send: the HTML, and all other files that are not empty. */
export const sentFiles = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).filter(([name, text]) => text.trim() !== '' || name === 'widget.html'),
  )

/** The code files that a widget may have, see docs/widgets.md. */
export const hookFiles = [
  'main.js',
  'before_render.js',
  'after_render.js',
  'mount_child.js',
  'update.js',
  'dependency.js',
] as const

/** Returns the label of the tab of a file. */
export function tabLabel(name: string): string {
  if (name === 'widget.html') return 'HTML'
  if (name === 'widget.css') return 'CSS'
  if (name === 'widget.json') return 'Settings'
  return name.replace(/\.js$/, '').replaceAll('_', ' ')
}
