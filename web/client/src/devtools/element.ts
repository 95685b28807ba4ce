type Child = Node | string | undefined | false

interface Properties {
  readonly class?: string
  readonly title?: string
  readonly click?: () => void
  readonly attributes?: Readonly<Record<string, string>>
}

/** An element with what is in it. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  { class: className, title, click, attributes = {} }: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  if (className) made.className = className
  if (title) made.title = title
  if (click) made.addEventListener('click', click)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.filter((child) => child !== undefined && child !== false))
  return made
}

export const button = (text: string, click: () => void): HTMLButtonElement =>
  element('button', { click, attributes: { type: 'button' } }, text)

/** Rows under headings, or a sentence that says why there are none. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Child[])[],
  none: string,
): HTMLElement {
  if (rows.length === 0) return element('p', { class: 'quiet' }, none)
  const head = headings.map((text) => element('th', { attributes: { scope: 'col' } }, text))
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element(
      'tbody',
      {},
      ...rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell)))),
    ),
  )
}

/** A value as JSON, to read. */
export const code = (value: unknown): HTMLElement =>
  element('pre', {}, JSON.stringify(value, undefined, 2) ?? 'undefined')

/** The time of day to the millisecond. */
export const clock = (at: number): string => new Date(at).toISOString().slice(11, 23)
