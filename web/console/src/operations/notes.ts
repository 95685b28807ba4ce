/** A block of the change notes. */
export interface NoteBlock {
  readonly id: number
  readonly kind: 'title' | 'heading' | 'item' | 'text'
  readonly text: string
}

/** Returns the headings, list items and paragraphs of Markdown without its marks. Other Markdown syntax stays unchanged. */
export function parseNotes(markdown: string): readonly NoteBlock[] {
  const blocks: { kind: NoteBlock['kind']; text: string }[] = []
  let isOpen = false
  for (const line of markdown.split('\n')) {
    const [, marks = '', heading = ''] = /^(#+)\s+(.*)/.exec(line) ?? []
    const [, item] = /^[-*]\s+(.*)/.exec(line) ?? []
    const last = blocks.at(-1)
    if (marks !== '') blocks.push({ kind: marks.length < 3 ? 'title' : 'heading', text: heading })
    else if (item !== undefined) blocks.push({ kind: 'item', text: item })
    else if (line.trim() !== '' && isOpen && last) last.text += ` ${line.trim()}`
    else if (line.trim() !== '') blocks.push({ kind: 'text', text: line.trim() })
    isOpen = line.trim() !== '' && marks === ''
  }
  return blocks.map(({ kind, text }, id) => ({ id, kind, text: text.replace(/\*\*|`/g, '') }))
}
