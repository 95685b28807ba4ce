import type { Control } from './control.ts'

/** Shows the messages of a control after it, and marks it as valid or invalid. */
export function showMessages(control: Control, messages: readonly string[]): void {
  const isInvalid = messages.length > 0
  const breaks = messages.flatMap((text, i) =>
    i > 0 ? [document.createElement('br'), text] : [text],
  )
  getContainer(control).replaceChildren(...breaks)
  control.classList.toggle('invalid', isInvalid)
  control.classList.toggle('valid', !isInvalid)
  control.setAttribute('aria-invalid', String(isInvalid))
}

/** Removes the messages and marks of a control. */
export function clearMessages(control: Control): void {
  containers.get(control)?.replaceChildren()
  control.classList.remove('valid', 'invalid')
  control.removeAttribute('aria-invalid')
}

/** Returns the container of a control's messages, after the control or its label. Creates it on first use. */
export function getContainer(control: Control): HTMLElement {
  const existing = containers.get(control)
  if (existing?.isConnected) return existing
  const container = document.createElement('div')
  container.className = 'error-container'
  container.id = `weft-error-${++lastContainer}`
  container.setAttribute('aria-live', 'polite')
  const place = control.closest('label') ?? control
  place.after(container)
  const described = control.getAttribute('aria-describedby')
  control.setAttribute(
    'aria-describedby',
    described ? `${described} ${container.id}` : container.id,
  )
  containers.set(control, container)
  addStyles()
  return container
}

const containers = new WeakMap<Control, HTMLElement>()
let lastContainer = 0

/** Styles messages in a cascade layer, which any style of the page overrides. */
function addStyles(): void {
  if (styles !== undefined) return
  styles = new CSSStyleSheet()
  styles.replaceSync(
    '@layer weft { .error-container { color: var(--madder, light-dark(#b3243f, #ff7d8c)); font-size: 0.9rem } }',
  )
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles]
}

let styles: CSSStyleSheet | undefined
