/** Applies CSS to the document until the returned function is called. Equal CSS shares one style sheet. */
export function applyCss(css: string): () => void {
  if (css === '') return () => {}
  const shared = sheets.get(css) ?? addSheet(css)
  shared.uses++
  let isApplied = true
  return () => {
    if (!isApplied) return
    isApplied = false
    if (--shared.uses > 0) return
    sheets.delete(css)
    const all = document.adoptedStyleSheets
    all.splice(all.indexOf(shared.sheet), 1)
  }
}

interface SharedSheet {
  readonly sheet: CSSStyleSheet
  uses: number
}

const sheets = new Map<string, SharedSheet>()

function addSheet(css: string): SharedSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
  const shared = { sheet, uses: 0 }
  sheets.set(css, shared)
  return shared
}
