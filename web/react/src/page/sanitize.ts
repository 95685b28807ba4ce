import DOMPurify, { type Config } from 'dompurify'

/**
 * The stored HTML without anything that runs, loads from elsewhere, posts elsewhere, styles inline or
 * takes over the page: what is left is text, structure, links, forms and images of this site, and plain
 * drawings.
 */
export function sanitize(html: string): DocumentFragment {
  return purifier().sanitize(html) as unknown as DocumentFragment
}

/** What fields ask of their values, beside what browsers know. */
const asked = ['fieldtype', 'datatype', 'typeconcept', 'unique', 'file', 'accept']

const config: Config = {
  RETURN_DOM_FRAGMENT: true,
  USE_PROFILES: { html: true, svg: true },
  ALLOW_DATA_ATTR: false,
  // A field may be called "name" or "title". What stands in front of the document's own names is left out below.
  SANITIZE_DOM: false,
  ADD_TAGS: ['use'],
  ADD_ATTR: asked,
  FORBID_TAGS: [
    ...['style', 'base', 'meta', 'link', 'template', 'dialog', 'slot', 'noscript', 'map', 'area'],
    ...['image', 'feimage', 'filter', 'animate', 'animatetransform', 'animatemotion', 'set'],
    ...['audio', 'video', 'source', 'track'],
  ],
  FORBID_ATTR: [
    'style',
    'srcset',
    'background',
    'poster',
    'form',
    'formaction',
    'is',
    'slot',
    'draggable',
    ...['popover', 'popovertarget', 'popovertargetaction', 'command', 'commandfor', 'nonce'],
  ],
}

/** A DOMPurify of our own: hooks on the shared one would reach other code of the page. */
function purifier() {
  if (own === undefined) {
    own = DOMPurify(window)
    own.setConfig(config)
    // A hook on each attribute would make DOMPurify copy its lists for each text.
    own.addHook('afterSanitizeAttributes', (element) => {
      for (const { name, value } of Array.from(element.attributes))
        if (!holds(element, name.toLowerCase(), value.trim())) element.removeAttribute(name)
      if (element.hasAttribute('target')) element.setAttribute('rel', 'noopener noreferrer')
      if (element.hasAttribute('class')) unmark(element)
    })
  }
  return own
}

/** Takes away what builders mark elements with while somebody builds. */
function unmark(element: Element): void {
  element.classList.remove(...marks)
  if (element.classList.length === 0) element.removeAttribute('class')
}

const marks = [
  'widget_container',
  'hover-element',
  'wb-block',
  'wb-initial-empty',
  'widget_selected',
]

let own: ReturnType<typeof DOMPurify> | undefined

function holds(element: Element, name: string, value: string): boolean {
  const rule = rules.get(name) ?? (element instanceof SVGElement ? drawn : undefined)
  return rule?.(value, element.localName) !== false
}

/** What must be true of an attribute, beyond what DOMPurify asks. */
const rules = new Map<string, (value: string, tag: string) => boolean>([
  ['id', (value) => !reserved.test(value)],
  ['name', (value, tag) => !/^(form|img)$/.test(tag) && !reserved.test(value)],
  ['action', (value) => localPath.test(value)],
  ['src', (value) => localPath.test(value) || dataImage.test(value)],
  ['href', (value, tag) => (tag === 'use' ? /^#[\w-]+$/ : notData).test(value)],
  ['xlink:href', () => false],
  ['type', (value, tag) => !/^(input|button)$/.test(tag) || fieldType.test(value)],
  ...asked.map((name) => [name, (_: string, tag: string) => field.test(tag)] as const),
])

const field = /^(input|select|textarea)$/
const fieldType =
  /^(text|email|url|tel|search|number|date|time|checkbox|radio|range|color|file|submit|reset|button)$/i

/** Attributes of drawings are CSS too, and could load what they name. */
const drawn = (value: string) => !/\\|url\((?!#[\w-]+\)$)|src\(|image/i.test(value)

/** Ids the application itself looks for. */
const reserved = /^(app|root|weft-.*)$/i
const notData = /^(?!\s*data:)/i
const localPath = /^\/([\w.~%-][\w./~%?=&-]*)?$/
const dataImage = /^data:image\/(png|jpe?g|gif|webp|avif);base64,/i
