import type { NodeKind } from './graph-data.ts'

/** Colours and font of a drawing, in the form that a canvas accepts. */
export interface GraphColors extends Readonly<Record<NodeKind, string>> {
  /** Returns the colour of the class `weft-graph-color-<name>`. */
  readonly named: (name: string) => string
  readonly chosen: string
  readonly line: string
  readonly faint: string
  readonly ink: string
  readonly cloth: string
  readonly font: string
}

/**
 * Reads the theme at an element. A custom property may contain `light-dark(…)`, so the colours are read as computed
 * styles of a probe element.
 */
export function colorsAt(element: HTMLElement): GraphColors {
  const known = new Map<string, string>()
  const read = (name: string): string => {
    const probe = element.appendChild(document.createElement('span'))
    probe.className = `weft-graph-color-${name}`
    const { color } = getComputedStyle(probe)
    probe.remove()
    known.set(name, color)
    return color
  }
  return {
    named: (name) => known.get(name) ?? read(name),
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
}

/**
 * Calls `onChange` when the system or an attribute of the document may have changed the theme. Returns a function that
 * unsubscribes.
 */
export function watchTheme(onChange: () => void): () => void {
  const prefersDark = window.matchMedia('(prefers-color-scheme: dark)')
  const observer = new MutationObserver(onChange)
  prefersDark.addEventListener('change', onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme', 'class', 'style'] })
  return () => {
    prefersDark.removeEventListener('change', onChange)
    observer.disconnect()
  }
}
