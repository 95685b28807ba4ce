import type { Note } from './monitor.ts'

/** The most characters of what was clicked. */
const longest = 50

/** What somebody types in, or chooses, and what nobody sees. */
const unread =
  'input,textarea,select,[contenteditable]:not([contenteditable="false"]),[data-private],script,style'

/** Logs clicks, also those that the page keeps to itself. */
export function watchClicks(note: Note, signal: AbortSignal): void {
  addEventListener(
    'click',
    ({ target }) => {
      if (!(target instanceof Element)) return
      const { id, classList, localName } = target
      note('INFO', 'User Click', {
        element: localName,
        id,
        classes: [...classList].join(' '),
        text: textOf(target),
      })
    },
    { signal, capture: true },
  )
}

function textOf(element: Element): string {
  if (element.closest(unread)) return ''
  const walker = document.createTreeWalker(
    element,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) => {
      if (node instanceof Text) return NodeFilter.FILTER_ACCEPT
      return (node as Element).matches(unread) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP
    },
  )
  let text = ''
  while (text.length < longest && walker.nextNode())
    text = `${text} ${walker.currentNode.nodeValue}`.replace(/\s+/g, ' ').trimStart()
  return text.slice(0, longest).trimEnd()
}
