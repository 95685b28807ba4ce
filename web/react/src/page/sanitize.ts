import DOMPurify, { type Config } from 'dompurify'

/**
 * The stored HTML without anything that runs, posts, embeds, styles inline or takes over the page:
 * what is left is text, structure, images, links and plain drawings.
 */
export function sanitize(html: string): DocumentFragment {
  return purifier().sanitize(html, config) as unknown as DocumentFragment
}

const config: Config = {
  RETURN_DOM_FRAGMENT: true,
  USE_PROFILES: { html: true, svg: true },
  FORBID_TAGS: [
    ...['style', 'form', 'base', 'meta', 'link', 'template', 'dialog', 'slot', 'noscript'],
    ...['use', 'image', 'feimage', 'animate', 'animatetransform', 'animatemotion', 'set', 'filter'],
    ...['audio', 'video', 'source', 'track', 'map', 'area'],
  ],
  FORBID_ATTR: [
    'style',
    'srcset',
    'background',
    'ping',
    'action',
    'formaction',
    'form',
    'is',
    'slot',
  ],
  ALLOWED_URI_REGEXP:
    /^(?:(?:https?|mailto|tel):|data:image\/(?:png|jpe?g|gif|webp|avif);base64,|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
}

/** One DOMPurify with our hooks; others on the page keep theirs. */
function purifier() {
  if (own === undefined) {
    own = DOMPurify(window)
    own.addHook('uponSanitizeAttribute', (_, attribute) => {
      const { attrName: name, attrValue: value } = attribute
      if ((name === 'id' || name === 'name') && reserved.test(value)) attribute.keepAttr = false
      if (name === 'data-widget') attribute.keepAttr = false
      if (name !== 'src' && /^\s*data:/i.test(value) && urls.has(name)) attribute.keepAttr = false
    })
    own.addHook('afterSanitizeAttributes', (element) => {
      if (element.hasAttribute('target')) element.setAttribute('rel', 'noopener noreferrer')
    })
  }
  return own
}

let own: ReturnType<typeof DOMPurify> | undefined

/** Ids the application itself looks for. */
const reserved = /^(app|root|weft-.*)$/i
const urls = new Set(['href', 'xlink:href', 'cite', 'poster', 'longdesc'])
