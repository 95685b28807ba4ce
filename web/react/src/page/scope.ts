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
  keepSafe(sheet)
  const rules = Array.from(sheet.cssRules, (rule) => rule.cssText).join('\n')
  return rules === '' ? '' : `@scope ([data-widget="${widget}"]) {\n${rules}\n}`
}

type Holder = Pick<CSSStyleSheet, 'cssRules' | 'deleteRule'>

function keepSafe(holder: Holder): void {
  for (let i = holder.cssRules.length - 1; i >= 0; i--) {
    const rule = holder.cssRules[i] as CSSRule
    if (!allowed(rule)) {
      holder.deleteRule(i)
      continue
    }
    if ('style' in rule) keepLocal(rule.style as CSSStyleDeclaration)
    if ('cssRules' in rule) keepSafe(rule as CSSRule & Holder)
  }
}

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

function keepLocal(style: CSSStyleDeclaration): void {
  for (const property of Array.from(style)) {
    if (!isLocal(style.getPropertyValue(property))) style.removeProperty(property)
  }
}

/**
 * The parser writes names out plainly, except where a value waits for `var()` and is kept as written:
 * there a backslash could spell `url` another way.
 */
function isLocal(value: string): boolean {
  if (value.includes('\\')) return false
  const rest = value.replace(
    /url\("(data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,][^"\\]*|\/(?!\/)[^"\\]*)"\)/gi,
    '',
  )
  return !/url\(|src\(|image-set\(|image\(|element\(|paint\(/i.test(rest)
}
