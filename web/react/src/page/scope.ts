/**
 * Stored CSS that reaches nothing outside the widget and fetches nothing from elsewhere.
 *
 * The browser parses it first, so a brace too many or a comment left open cannot end the scope early.
 * Style rules, conditions around them and keyframes survive; fonts, layers and registered properties,
 * whose names belong to the whole document, do not.
 */
export function scope(css: string, widget: number): string {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css) // ignores @import
  const rules = Array.from(sheet.cssRules).filter(allowed)
  for (const rule of rules) clean(rule)
  const text = rules.map((rule) => rule.cssText).join('\n')
  return text === '' ? '' : `@scope ([data-widget="${widget}"]) {\n${text}\n}`
}

function clean(rule: CSSRule & Partial<Holder>): void {
  if (rule.style !== undefined) keepLocal(rule.style)
  const inner = Array.from(rule.cssRules ?? [])
  for (let i = inner.length - 1; i >= 0; i--) {
    const below = inner[i] as CSSRule
    if (allowed(below)) clean(below)
    else rule.deleteRule?.(i)
  }
}

/** What a rule may hold: declarations, rules, or both. */
type Holder = Pick<CSSStyleRule, 'style' | 'cssRules' | 'deleteRule'>

const allowed = (rule: CSSRule): boolean => kinds.has(rule.constructor.name)

const kinds = new Set([
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
 * Takes out declarations one by one. A shorthand that waits for `var()` hides from its longhands and is
 * seen in the whole text only; then everything goes.
 */
function keepLocal(style: CSSStyleDeclaration): void {
  for (const property of Array.from(style)) {
    if (!isLocal(style.getPropertyValue(property))) style.removeProperty(property)
  }
  if (!isLocal(style.cssText)) style.cssText = ''
}

/**
 * The parser writes names out plainly, except where a value waits for `var()` and is kept as written:
 * there a backslash could spell `url` another way.
 */
const isLocal = (value: string): boolean =>
  !value.includes('\\') && !loader.test(value.replace(ownImage, ''))

const loader = /url\(|src\(|image-set\(|image\(|element\(|paint\(/i
const ownImage =
  /url\("(?:data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,][^"]*|\/(?!\/)[^"]*|#[\w-]+)"\)/gi
