/** Loads style sheets and scripts of other sites, and keeps each in the document while any widget uses it. */
export class Libraries {
  readonly #loaded = new Map<
    string,
    { readonly loaded: Promise<void>; readonly element: Element; uses: number }
  >()

  /**
   * Loads style sheets in parallel, then scripts in order. Resolves when all are loaded; rejects with the first
   * failure. When the signal aborts, this use ends, and elements that no other widget uses are removed.
   */
  async use(
    styles: readonly string[],
    scripts: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const loadingStyles = styles.map((address) => this.#addUse(address, linkElement, signal))
    await Promise.all(loadingStyles)
    for (const address of scripts) {
      if (signal.aborted) return
      await this.#addUse(address, scriptElement, signal)
    }
  }

  #addUse(address: string, createElement: CreateElement, signal: AbortSignal): Promise<void> {
    const existing = this.#loaded.get(address)
    const library = existing ?? { ...loadLibrary(address, createElement), uses: 0 }
    if (existing === undefined) this.#loaded.set(address, library)
    library.uses++
    signal.addEventListener('abort', () => {
      if (--library.uses > 0) return
      this.#loaded.delete(address)
      library.element.remove()
    })
    return library.loaded
  }
}

type CreateElement = typeof linkElement | typeof scriptElement

/** Loads a library. The fragment of its URL, if the operator configured one, is the integrity hash of the file. */
function loadLibrary(address: string, createElement: CreateElement) {
  const [url = '', integrity = ''] = address.split('#')
  const element = createElement(url)
  element.crossOrigin = 'anonymous'
  element.integrity = integrity
  const loaded = new Promise<void>((resolve, reject) => {
    element.onload = () => resolve()
    element.onerror = () => reject(new Error(`Failed to load ${element.localName}: ${url}`))
  })
  loaded.catch(() => element.remove())
  document.head.append(element)
  return { loaded, element }
}

function linkElement(url: string): HTMLLinkElement {
  const element = document.createElement('link')
  element.rel = 'stylesheet'
  element.href = url
  return element
}

function scriptElement(url: string): HTMLScriptElement {
  const element = document.createElement('script')
  element.src = url
  return element
}
