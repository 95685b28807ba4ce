import DOMPurify, { type Config } from 'dompurify'
import { type Looks, plainLooks } from './looks.ts'
import { keepLocal } from './scope.ts'

/**
 * Returns stored HTML as elements, without anything that runs code, loads from or posts to another origin, sets inline
 * styles, or shadows ids and names of the page. Text, structure, links, forms, images of this site and plain SVG
 * remain. `looks` may allow style attributes, and pictures and frames of some origins.
 *
 * The server renders by the same rules (`internal/site/page`); the cases in `spec/widget` run in both.
 */
export function sanitize(html: string, looks: Looks = plainLooks): DocumentFragment {
  return purifier(looks).sanitize(
    html,
    looks.addresses ? configWithFrames : config,
  ) as unknown as DocumentFragment
}

/** Attributes with validation rules for form fields, in addition to those of HTML. */
const fieldRuleAttributes = ['fieldtype', 'datatype', 'typeconcept', 'unique', 'file', 'accept']

const config: Config = {
  RETURN_DOM_FRAGMENT: true,
  USE_PROFILES: { html: true, svg: true },
  ALLOW_DATA_ATTR: false,
  // Fields may be named "name" or "title". Names that shadow properties of the document are removed by attributeRules.
  SANITIZE_DOM: false,
  ADD_TAGS: ['use'],
  ADD_ATTR: fieldRuleAttributes,
  FORBID_TAGS: [
    ...['style', 'base', 'meta', 'link', 'template', 'dialog', 'slot', 'noscript', 'map', 'area'],
    ...['image', 'feimage', 'filter', 'animate', 'animatetransform', 'animatemotion', 'set'],
    ...['audio', 'video', 'source', 'track'],
  ],
  FORBID_ATTR: [
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

const configWithFrames: Config = {
  ...config,
  ADD_TAGS: ['use', 'iframe'],
  ADD_ATTR: [...fieldRuleAttributes, 'allowfullscreen'],
}

/**
 * Returns the DOMPurify instance of this module. Hooks on the shared instance would affect other code of the page. The
 * returned instance applies `looks` until the next call.
 */
function purifier(looks: Looks) {
  currentLooks = looks
  if (ownPurifier === undefined) {
    ownPurifier = DOMPurify(window)
    // The hook runs once per element. A hook that runs per attribute would make DOMPurify copy its lists for each HTML
    // string.
    ownPurifier.addHook('afterSanitizeAttributes', (element) => {
      for (const { name, value } of Array.from(element.attributes))
        if (!isAllowed(element, name.toLowerCase(), value.trim())) element.removeAttribute(name)
      if (element.hasAttribute('target')) element.setAttribute('rel', 'noopener noreferrer')
      if (element.hasAttribute('class')) removeBuilderClasses(element)
      if (element.hasAttribute('style')) filterStyle(element)
      if (element instanceof HTMLIFrameElement) prepareFrame(element)
    })
  }
  return ownPurifier
}

let currentLooks = plainLooks

/** Removes the declarations of an element that are not allowed. */
function filterStyle(element: Element): void {
  const { style } = element as HTMLElement | SVGElement
  const hasBlock = /[{}@]/.test(element.getAttribute('style') ?? '')
  const keptAll = currentLooks.styles && !hasBlock && keepLocal(style, currentLooks.addresses)
  if (!currentLooks.styles || hasBlock || style.length === 0) element.removeAttribute('style')
  else if (!keptAll) element.setAttribute('style', style.cssText)
}

/**
 * Restricts a frame: the page in it works, but cannot navigate the page around it. Removes a frame that has no allowed
 * URL.
 */
function prepareFrame(frame: HTMLIFrameElement): void {
  frame.replaceChildren()
  for (const { name } of Array.from(frame.attributes))
    if (!frameAttributes.test(name)) frame.removeAttribute(name)
  frame.setAttribute('sandbox', frameSandbox)
  if (!frame.hasAttribute('src')) frame.remove()
}

const frameAttributes =
  /^(src|width|height|loading|allowfullscreen|title|class|id|lang|dir|hidden|tabindex|role|style|aria-.*)$/
const frameSandbox =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-presentation'

/** Removes the classes that page builders add to elements while a page is edited. */
function removeBuilderClasses(element: Element): void {
  element.classList.remove(...builderClasses)
  if (element.classList.length === 0) element.removeAttribute('class')
}

const builderClasses = [
  'widget_container',
  'hover-element',
  'wb-block',
  'wb-initial-empty',
  'widget_selected',
]

let ownPurifier: ReturnType<typeof DOMPurify> | undefined

function isAllowed(element: Element, name: string, value: string): boolean {
  const rule =
    attributeRules.get(name) ?? (element instanceof SVGElement ? isLocalSvgValue : undefined)
  return rule?.(value, element.localName) !== false
}

/** Conditions that attributes must meet in addition to those of DOMPurify, by attribute name. */
const attributeRules = new Map<string, (value: string, tag: string) => boolean>([
  ['id', (value) => !reservedId.test(value)],
  ['name', (value, tag) => !/^(form|img)$/.test(tag) && !reservedId.test(value)],
  ['action', (value) => localPath.test(value)],
  ['src', isAllowedSource],
  ['width', isAllowedSize],
  ['height', isAllowedSize],
  ['href', (value, tag) => (tag === 'use' ? /^#[\w-]+$/ : notDataUrl).test(value)],
  ['xlink:href', () => false],
  ['type', (value, tag) => !/^(input|button)$/.test(tag) || fieldType.test(value)],
  ...fieldRuleAttributes.map(
    (name) => [name, (_: string, tag: string) => fieldTag.test(tag)] as const,
  ),
])

function isAllowedSource(value: string, tag: string): boolean {
  const isListed = currentLooks.addresses?.test(value) ?? false
  return tag === 'iframe' ? isListed : isListed || localPath.test(value) || dataImage.test(value)
}

function isAllowedSize(value: string, tag: string): boolean {
  return tag !== 'iframe' || /^[0-9]{1,5}%?$/.test(value)
}

const fieldTag = /^(input|select|textarea)$/
const fieldType =
  /^(text|email|url|tel|search|number|date|time|checkbox|radio|range|color|file|submit|reset|button)$/i

/** SVG presentation attributes are CSS, and could load a URL. */
const isLocalSvgValue = (value: string) => !/\\|url\((?!#[\w-]+\)$)|src\(|image/i.test(value)

/** Ids that the application itself uses. */
const reservedId = /^(app|root|weft-.*)$/i
const notDataUrl = /^(?!\s*data:)/i
const localPath = /^\/([\w.~%-][\w./~%?=&-]*)?$/
const dataImage = /^data:image\/(png|jpe?g|gif|webp|avif);base64,/i
