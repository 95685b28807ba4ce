import { idIn, memberOf, readWidget, textIn, type Widget } from './widget.ts'

/** What a stored page says about itself. Empty text means that it says nothing. */
export interface Page {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly metaTitle: string
  readonly metaDescription: string
  readonly metaKeywords: string
  readonly type: string
  readonly width: string
  readonly fontSize: string
  readonly fontFamily: string
  /** It is for visitors who are signed in. It holds nothing private. */
  readonly guarded: boolean
}

/** Reads what the server sends for a page. Without a body there is no page. */
export function readPage(json: unknown): { page: Page; widget: Widget } | undefined {
  const widget = memberOf(json, 'widget')
  const page = memberOf(json, 'page')
  if (typeof widget !== 'object' || widget === null) return undefined
  return {
    page: {
      id: idIn(page),
      slug: textIn(page, 'slug'),
      title: textIn(page, 'title'),
      metaTitle: textIn(page, 'metaTitle'),
      metaDescription: textIn(page, 'metaDescription'),
      metaKeywords: textIn(page, 'metaKeywords'),
      type: textIn(page, 'type'),
      width: textIn(page, 'width'),
      fontSize: textIn(page, 'fontSize'),
      fontFamily: textIn(page, 'fontFamily'),
      guarded: memberOf(page, 'guarded') === true,
    },
    widget: readWidget(widget),
  }
}

/** The page's settings as CSS. A value that is not what it should be is left out. */
export function pageStyle(page: Page): string {
  const declarations = [
    kinds.get(page.type),
    length.test(page.width) && `width: ${px(page.width)} !important`,
    length.test(page.fontSize) && `font-size: ${px(page.fontSize)}`,
    family.test(page.fontFamily) && `font-family: ${page.fontFamily}`,
  ].filter(Boolean)
  return declarations.length === 0 ? '' : `.fspage { ${declarations.join('; ')} }`
}

const kinds = new Map([
  ['fixed', 'width: 1200px; max-width: 100%; margin: 0 auto'],
  ['fluid', 'width: 100%; padding: 0'],
])
const length = /^\d{1,5}(\.\d{1,3})?(px|%|rem|em|vw|ch)?$/
const family = /^[\w -]+(, *[\w -]+)*$/
const px = (text: string) => (/\d$/.test(text) ? `${text}px` : text)
