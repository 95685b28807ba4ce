type Child = Node | string | undefined | false

interface Properties {
  readonly class?: string
  readonly title?: string
  readonly click?: () => void
  readonly attributes?: Readonly<Record<string, string>>
}

/** Creates an element with children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  { class: className, title, click, attributes = {} }: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(name)
  if (className) created.className = className
  if (title) created.title = title
  if (click) created.addEventListener('click', click)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children.filter((child) => child !== undefined && child !== false))
  return created
}

/** Creates a button. */
export const button = (text: string, click: () => void): HTMLButtonElement =>
  element('button', { click, attributes: { type: 'button' } }, text)

/** Creates a table. Without rows, creates a paragraph with `emptyText`. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Child[])[],
  emptyText: string,
): HTMLElement {
  if (rows.length === 0) return element('p', { class: 'quiet' }, emptyText)
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

/** Creates an element with a value as indented JSON. */
export const code = (value: unknown): HTMLElement =>
  element('pre', {}, JSON.stringify(value, undefined, 2) ?? 'undefined')

/** Formats the UTC time of day, to the millisecond. */
export const formatTime = (at: number): string => new Date(at).toISOString().slice(11, 23)
