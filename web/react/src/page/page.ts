import { idIn, memberOf, textIn } from '../stored/json.ts'
import { readWidgetTree, type WidgetTree } from '../stored/widget-tree.ts'

/**
 * Names of the text settings of a page: the JSON members of Go's `Settings` in `internal/site/page/settings.go`, which lists
 * everything to change for a new setting. A test of the Go package `content` compares the two.
 */
const textSettings = [
  'slug',
  'title',
  'metaTitle',
  'metaDescription',
  'metaKeywords',
  'type',
  'width',
  'fontSize',
  'fontFamily',
] as const

type TextSettings = Readonly<Record<(typeof textSettings)[number], string>>

/** The settings of a stored page. An empty string means that the setting is not set. */
export interface Page extends TextSettings {
  readonly id: number
  /** Whether the page is meant for signed-in users. The page itself contains nothing private. */
  readonly guarded: boolean
}

/** Reads the JSON that the server sends for a page. Returns undefined when it contains no widget. */
export function readPage(json: unknown): { page: Page; widget: WidgetTree } | undefined {
  const widget = memberOf(json, 'widget')
  const page = memberOf(json, 'page')
  if (typeof widget !== 'object' || widget === null) return undefined
  return {
    page: { ...readTexts(page), id: idIn(page), guarded: memberOf(page, 'guarded') === true },
    widget: readWidgetTree(widget),
  }
}

const readTexts = (page: unknown): TextSettings =>
  Object.fromEntries(textSettings.map((name) => [name, textIn(page, name)])) as TextSettings

/** Returns the layout settings of a page as CSS. Leaves out invalid values. */
export function pageCss(page: Page): string {
  const declarations = [
    typeDeclarations.get(page.type),
    lengthPattern.test(page.width) && `width: ${withUnit(page.width)} !important`,
    lengthPattern.test(page.fontSize) && `font-size: ${withUnit(page.fontSize)}`,
    fontFamilyPattern.test(page.fontFamily) && `font-family: ${page.fontFamily}`,
  ].filter(Boolean)
  return declarations.length === 0 ? '' : `.fspage { ${declarations.join('; ')} }`
}

const typeDeclarations = new Map([
  ['fixed', 'width: 1200px; max-width: 100%; margin: 0 auto'],
  ['fluid', 'width: 100%; padding: 0'],
])
const lengthPattern = /^\d{1,5}(\.\d{1,3})?(px|%|rem|em|vw|ch)?$/
const fontFamilyPattern = /^[\w -]+(, *[\w -]+)*$/
const withUnit = (length: string) => (/\d$/.test(length) ? `${length}px` : length)
