import DOMPurify, { type Config } from 'dompurify'

/**
 * The stored HTML without anything that runs, loads from elsewhere, posts elsewhere, styles inline or
 * takes over the page: what is left is text, structure, links, forms and images of this site, and plain
 * drawings.
 */
export function sanitize(html: string): DocumentFragment {
  return purifier().sanitize(html, config) as unknown as DocumentFragment
}

const config: Config = {
  RETURN_DOM_FRAGMENT: true,
  USE_PROFILES: { html: true, svg: true },
  ALLOW_DATA_ATTR: false,
  ADD_TAGS: ['use'],
  FORBID_TAGS: [
    ...['style', 'base', 'meta', 'link', 'template', 'dialog', 'slot', 'noscript', 'map', 'area'],
    ...['image', 'feimage', 'filter', 'animate', 'animatetransform', 'animatemotion', 'set'],
    ...['audio', 'video', 'source', 'track'],
  ],
  FORBID_ATTR: ['style', 'srcset', 'background', 'poster', 'form', 'formaction', 'is', 'slot'],
}

/** A DOMPurify of our own: hooks on the shared one would reach other code of the page. */
function purifier() {
  if (own === undefined) {
    own = DOMPurify(window)
    own.addHook('uponSanitizeAttribute', (element, attribute) => {
      const { attrName: name, attrValue: value } = attribute
      const rule = element instanceof SVGElement ? (rules.get(name) ?? drawn) : rules.get(name)
      if (rule?.(value, element.localName) === false) attribute.keepAttr = false
    })
    own.addHook('afterSanitizeAttributes', (element) => {
      if (element.hasAttribute('target')) element.setAttribute('rel', 'noopener noreferrer')
    })
  }
  return own
}

let own: ReturnType<typeof DOMPurify> | undefined

/** What must be true of an attribute, beyond what DOMPurify asks. */
const rules = new Map<string, (value: string, tag: string) => boolean>([
  ['id', (value) => !reserved.test(value)],
  ['name', (value) => !reserved.test(value)],
  ['action', (value) => localPath.test(value)],
  ['src', (value) => localPath.test(value) || dataImage.test(value)],
  ['href', (value, tag) => (tag === 'use' ? /^#[\w-]+$/ : notData).test(value)],
  ['xlink:href', () => false],
])

/** Attributes of drawings are CSS too, and could load what they name. */
const drawn = (value: string) => !/\\|url\((?!#[\w-]+\)$)|src\(|image/i.test(value)

/** Ids the application itself looks for. */
const reserved = /^(app|root|weft-.*)$/i
const notData = /^(?!\s*data:)/i
const localPath = /^\/([\w.~%-][\w./~%?=&-]*)?$/
const dataImage = /^data:image\/(png|jpe?g|gif|webp|avif);base64,/i
