/**
 * Returns the CSS of a widget whose code runs, scoped to the widget's host and otherwise unchanged. Rules that mention
 * the widget's placeholder also match the placeholder itself. Rules that define names for the whole document (fonts,
 * properties) stay outside the scope.
 */
export function scopeWidgetCss(css: string, widgetId: number, wrapper: string): string {
  const placeholder = wrapper === '' ? '' : `#${CSS.escape(wrapper)}`
  const mentioned = placeholder !== '' && css.includes(placeholder) ? placeholder : ''
  const key = `${widgetId} ${mentioned} ${css}`
  const scoped = scopedCss.get(key) ?? scopeRules(css, widgetId, mentioned)
  if (scopedCss.size >= maxCached) scopedCss.clear()
  scopedCss.set(key, scoped)
  return scoped
}

/**
 * Results of `scopeWidgetCss`, by its arguments. Parsing CSS takes longer than drawing a small widget, and a page may
 * contain a widget many times.
 */
const scopedCss = new Map<string, string>()
const maxCached = 500

function scopeRules(css: string, widgetId: number, placeholder: string): string {
  if (css === '') return ''
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  const rules = Array.from(sheet.cssRules)
  const scopable = rules.filter((rule) => !documentRules.has(rule.constructor.name))
  const host = `[data-widget="${widgetId}"]`
  // Rules in a scope do not match its root, so rules for the placeholder are scoped to the placeholder's parent.
  const aboutPlaceholder =
    placeholder === '' ? [] : scopable.filter((rule) => rule.cssText.includes(placeholder))
  return [
    textOf(rules.filter((rule) => documentRules.has(rule.constructor.name))),
    inScope(host, scopable),
    inScope(`:has(> ${placeholder} > ${host})`, aboutPlaceholder),
  ]
    .filter(Boolean)
    .join('\n')
}

const documentRules = new Set(['CSSFontFaceRule', 'CSSPropertyRule', 'CSSFontFeatureValuesRule'])

const textOf = (rules: readonly CSSRule[]): string => rules.map((rule) => rule.cssText).join('\n')

const inScope = (root: string, rules: readonly CSSRule[]): string =>
  rules.length === 0 ? '' : `@scope (${root}) {\n${textOf(rules)}\n}`
