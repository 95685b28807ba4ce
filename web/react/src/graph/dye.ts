import type { NodeKind } from './data.ts'

/** Colours as a canvas takes them. */
export interface Dyes extends Readonly<Record<NodeKind, string>> {
  readonly chosen: string
  readonly line: string
  readonly faint: string
  readonly ink: string
  readonly cloth: string
  readonly font: string
}

/**
 * Reads the theme where the element stands. A custom property may be written as `light-dark(…)`, so its
 * value is read from an element that wears it.
 */
export function dyesAt(element: HTMLElement): Dyes {
  const probe = element.appendChild(document.createElement('span'))
  const read = (kind: string): string => {
    probe.className = `weft-graph-dye-${kind}`
    return getComputedStyle(probe).color
  }
  const dyes = {
    composition: read('composition'),
    type: read('type'),
    value: read('value'),
    chosen: read('chosen'),
    line: read('line'),
    faint: read('faint'),
    ink: read('ink'),
    cloth: read('cloth'),
    font: getComputedStyle(element).fontFamily,
  }
  probe.remove()
  return dyes
}

/** Calls back when the theme may have changed: by the system, or by an attribute of the document. */
export function watchTheme(changed: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const observer = new MutationObserver(changed)
  system.addEventListener('change', changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme', 'class', 'style'] })
  return () => {
    system.removeEventListener('change', changed)
    observer.disconnect()
  }
}
