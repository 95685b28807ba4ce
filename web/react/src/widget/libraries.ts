/** Styles and scripts from elsewhere, in the document for as long as some widget uses them. */
export class Libraries {
  readonly #shared = new Map<
    string,
    { readonly loaded: Promise<void>; readonly element: Element; uses: number }
  >()

  /**
   * Brings styles together, and scripts one after another. Resolves when all are there, rejects with the
   * first that fails. What is used leaves with the signal.
   */
  async use(
    styles: readonly string[],
    scripts: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const under = styles.map((address) => this.#share(address, link, signal))
    await Promise.all(under)
    for (const address of scripts) {
      if (signal.aborted) return
      await this.#share(address, script, signal)
    }
  }

  #share(address: string, make: typeof link | typeof script, signal: AbortSignal): Promise<void> {
    const known = this.#shared.get(address)
    const shared = known ?? { ...load(make, address), uses: 0 }
    if (known === undefined) this.#shared.set(address, shared)
    shared.uses++
    signal.addEventListener('abort', () => {
      if (--shared.uses > 0) return
      this.#shared.delete(address)
      shared.element.remove()
    })
    return shared.loaded
  }
}

/** An address ends with `#` and the hash of what it must lead to, if the operator has given one. */
function load(make: typeof link | typeof script, address: string) {
  const [url = '', integrity = ''] = address.split('#')
  const element = make(url)
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

function link(url: string): HTMLLinkElement {
  const element = document.createElement('link')
  element.rel = 'stylesheet'
  element.href = url
  return element
}

function script(url: string): HTMLScriptElement {
  const element = document.createElement('script')
  element.src = url
  return element
}
