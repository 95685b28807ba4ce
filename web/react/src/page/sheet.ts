/** Applies CSS to the document until the function returned is called. Equal texts share one sheet. */
export function adopt(css: string): () => void {
  if (css === '') return () => {}
  const shared = sheets.get(css) ?? make(css)
  shared.uses++
  let used = true
  return () => {
    if (!used) return
    used = false
    if (--shared.uses > 0) return
    sheets.delete(css)
    const all = document.adoptedStyleSheets
    all.splice(all.indexOf(shared.sheet), 1)
  }
}

interface Shared {
  readonly sheet: CSSStyleSheet
  uses: number
}

const sheets = new Map<string, Shared>()

function make(css: string): Shared {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
  const shared = { sheet, uses: 0 }
  sheets.set(css, shared)
  return shared
}
