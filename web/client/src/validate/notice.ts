import type { Control } from './control.ts'

/** Shows beside a control what is wrong with it, and marks it good or not. */
export function show(control: Control, lines: readonly string[]): void {
  const invalid = lines.length > 0
  const breaks = lines.flatMap((line, i) => (i > 0 ? [document.createElement('br'), line] : [line]))
  containerOf(control).replaceChildren(...breaks)
  control.classList.toggle('invalid', invalid)
  control.classList.toggle('valid', !invalid)
  control.setAttribute('aria-invalid', String(invalid))
}

/** As if the control had never been checked. */
export function clear(control: Control): void {
  containers.get(control)?.replaceChildren()
  control.classList.remove('valid', 'invalid')
  control.removeAttribute('aria-invalid')
}

/** The place for messages after a control, or after the label around it; made when first asked for. */
export function containerOf(control: Control): HTMLElement {
  const made = containers.get(control)
  if (made?.isConnected) return made
  const container = document.createElement('div')
  container.className = 'error-container'
  container.id = `weft-error-${++count}`
  container.setAttribute('aria-live', 'polite')
  const place = control.closest('label') ?? control
  place.after(container)
  const described = control.getAttribute('aria-describedby')
  control.setAttribute(
    'aria-describedby',
    described ? `${described} ${container.id}` : container.id,
  )
  containers.set(control, container)
  dye()
  return container
}

const containers = new WeakMap<Control, HTMLElement>()
let count = 0

/** Makes messages red wherever nobody else says how they look. */
function dye(): void {
  if (red !== undefined) return
  red = new CSSStyleSheet()
  red.replaceSync(
    '@layer weft { .error-container { color: var(--madder, light-dark(#b3243f, #ff7d8c)); font-size: 0.9rem } }',
  )
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, red]
}

let red: CSSStyleSheet | undefined
