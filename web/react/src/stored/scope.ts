/** The URLs and fonts that the CSS of a widget may use in addition to those of this site. */
export interface CssRules {
  /** Matches URLs of other origins; undefined for none. */
  readonly addresses: RegExp | undefined
  readonly fonts: boolean
}

const plainRules: CssRules = { addresses: undefined, fonts: false }

/**
 * Restricts stored CSS to one widget. The result matches no element outside the widget's host, and loads nothing from
 * other origins except the URLs that `allowed` permits. Permitted `@font-face` rules are placed before the scope.
 *
 * The browser parses the CSS first, so that unbalanced braces and unclosed comments cannot end the scope early. Style
 * rules, the conditions around them and keyframes are kept. Other fonts, layers and registered properties are removed,
 * because their names apply to the whole document.
 */
export function scopeCss(css: string, widgetId: number, allowed = plainRules): string {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css) // ignores @import
  const rules = Array.from(sheet.cssRules)
  const faces = allowed.fonts ? rules.filter((rule) => rule instanceof CSSFontFaceRule) : []
  const scoped = rules.filter(isAllowed)
  for (const rule of [...faces, ...scoped]) removeLoaders(rule, allowed.addresses)
  const text = textOf(scoped)
  const inScope = text === '' ? '' : `@scope ([data-widget="${widgetId}"]) {\n${text}\n}`
  return [textOf(faces), inScope].filter(Boolean).join('\n')
}

const textOf = (rules: readonly CSSRule[]): string => rules.map((rule) => rule.cssText).join('\n')

/** Removes declarations that load from other origins and nested rules that are not allowed. */
function removeLoaders(
  rule: CSSRule & Partial<RuleContents>,
  addresses: CssRules['addresses'],
): void {
  if (rule.style !== undefined) keepLocal(rule.style, addresses)
  const rules = Array.from(rule.cssRules ?? [])
  for (let i = rules.length - 1; i >= 0; i--) {
    const nested = rules[i] as CSSRule
    if (isAllowed(nested)) removeLoaders(nested, addresses)
    else rule.deleteRule?.(i)
  }
}

/** The contents a rule may have: declarations, nested rules, or both. */
type RuleContents = Pick<CSSStyleRule, 'style' | 'cssRules' | 'deleteRule'>

const isAllowed = (rule: CSSRule): boolean => allowedRules.has(rule.constructor.name)

const allowedRules = new Set([
  'CSSStyleRule',
  'CSSNestedDeclarations',
  'CSSMediaRule',
  'CSSSupportsRule',
  'CSSContainerRule',
  'CSSStartingStyleRule',
  'CSSKeyframesRule',
  'CSSKeyframeRule',
])

/**
 * Removes every declaration that loads from another origin, except those of `addresses`. A shorthand that contains
 * `var()` has no longhands yet and appears only in `cssText`. If `cssText` still contains a loading function, all
 * declarations are removed. Returns whether all declarations were kept.
 */
export function keepLocal(
  style: CSSStyleDeclaration,
  addresses: CssRules['addresses'] = undefined,
): boolean {
  const foreign = Array.from(style).filter(
    (property) => !isLocal(style.getPropertyValue(property), addresses),
  )
  for (const property of foreign) style.removeProperty(property)
  if (isLocal(style.cssText, addresses)) return foreign.length === 0
  style.cssText = ''
  return false
}

/**
 * Reports whether a value loads only from this site and `addresses`. The parser normalises names, except in values with
 * `var()`, which it keeps as written. In such a value a backslash escape could spell `url` in another way, so
 * backslashes are refused.
 */
const isLocal = (value: string, addresses: CssRules['addresses']): boolean =>
  !value.includes('\\') &&
  !loadingFunction.test(
    value
      .replace(localImage, '')
      .replace(remoteUrl, (text, address) => (addresses?.test(address) ? '' : text)),
  )

const loadingFunction = /url\(|src\(|image-set\(|image\(|element\(|paint\(/i
const remoteUrl = /url\("(https?:[^"]*)"\)/g
const localImage =
  /url\("(?:data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,][^"]*|\/(?!\/)[^"]*|#[\w-]+)"\)/gi
