/**
 * The CSS of code that runs: kept as written, and put in the scope of its widget. Rules for the element
 * that the widget stands in reach that one element too. What names things for the whole document (fonts,
 * properties) stands outside.
 */
export function styleOf(css: string, widget: number, wrapper: string): string {
  const place = wrapper === '' ? '' : `#${CSS.escape(wrapper)}`
  const about = place !== '' && css.includes(place) ? place : ''
  const key = `${widget} ${about} ${css}`
  const known = made.get(key) ?? make(css, widget, about)
  if (made.size >= most) made.clear()
  made.set(key, known)
  return known
}

/** To read CSS takes longer than to draw a small widget, and many may be the same one. */
const made = new Map<string, string>()
const most = 500

function make(css: string, widget: number, place: string): string {
  if (css === '') return ''
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  const rules = Array.from(sheet.cssRules)
  const inside = rules.filter((rule) => !wide.has(rule.constructor.name))
  const host = `[data-widget="${widget}"]`
  // The root of a scope is no element inside it, so the scope of the place is what the place stands in.
  const about = place === '' ? [] : inside.filter((rule) => rule.cssText.includes(place))
  return [
    textOf(rules.filter((rule) => wide.has(rule.constructor.name))),
    scoped(host, inside),
    scoped(`:has(> ${place} > ${host})`, about),
  ]
    .filter(Boolean)
    .join('\n')
}

const wide = new Set(['CSSFontFaceRule', 'CSSPropertyRule', 'CSSFontFeatureValuesRule'])

const textOf = (rules: readonly CSSRule[]): string => rules.map((rule) => rule.cssText).join('\n')

const scoped = (root: string, rules: readonly CSSRule[]): string =>
  rules.length === 0 ? '' : `@scope (${root}) {\n${textOf(rules)}\n}`
