import type { Logger } from '../logger/index.ts'

/** Maximum number of characters logged of a clicked element's text. */
const maxTextCharacters = 50

/** Elements whose text is not logged: inputs, private elements, and those that are not rendered. */
const unreadable =
  'input,textarea,select,[contenteditable]:not([contenteditable="false"]),[data-private],script,style'

/** Logs clicks, including those whose propagation the page stops. */
export function watchClicks(log: Logger['logApplication'], signal: AbortSignal): void {
  addEventListener(
    'click',
    ({ target }) => {
      if (!(target instanceof Element)) return
      const { id, classList, localName } = target
      log('INFO', 'User Click', {
        element: localName,
        id,
        classes: [...classList].join(' '),
        text: readableText(target),
      })
    },
    { signal, capture: true },
  )
}

function readableText(element: Element): string {
  if (element.closest(unreadable)) return ''
  const walker = document.createTreeWalker(
    element,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) => {
      if (node instanceof Text) return NodeFilter.FILTER_ACCEPT
      const isUnreadable = (node as Element).matches(unreadable)
      return isUnreadable ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP
    },
  )
  let text = ''
  while (text.length < maxTextCharacters && walker.nextNode())
    text = `${text} ${walker.currentNode.nodeValue}`.replace(/\s+/g, ' ').trimStart()
  return text.slice(0, maxTextCharacters).trimEnd()
}
