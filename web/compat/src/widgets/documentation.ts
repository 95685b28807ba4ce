import type { Entry, View } from '@weft/react/imperative'
import { currentClient } from '../start.ts'

/*
 * The button at the top right of every widget with documentation, including children, and the dialog that it opens. The
 * dialog shows the entries of the server, or the widget that the operator configured for this.
 */

/** Renders the documentation widget `id` for the widget `root` into an element. */
type RenderWidget = (id: number, root: number, attachNode: HTMLElement) => Promise<unknown>

/**
 * Adds the buttons for a view that is shown in `element` inside `host`. Returns a function that removes the buttons.
 */
export function addDocumentation(
  host: HTMLElement,
  element: HTMLElement,
  { documentedId, documentedChildren = [] }: View,
  renderWidget: RenderWidget,
): () => void {
  const removals: (() => void)[] = []
  const button = (root: number, name = '') => createButton(root, name, renderWidget)
  if (documentedId !== undefined) {
    const main = button(documentedId)
    host.append(main)
    removals.push(() => main.remove())
  }
  if (documentedId !== undefined || documentedChildren.length > 0)
    void loadRenderer().then(({ applyCss }) => removals.push(applyCss(css)))
  if (documentedChildren.length > 0)
    void loadRenderer().then(({ watchPlaces }) => {
      const stop = watchPlaces(element, documentedChildren, (places) => {
        for (const place of places)
          place.element.replaceChildren(
            ...place.children.map(({ root, name }) => button(root, name)),
          )
      })
      removals.push(stop)
    })
  return () => {
    for (const remove of removals) remove()
  }
}

const loadRenderer = () => import('@weft/react/imperative')

const css = `@layer base {
  :has(> .widget-details), :has(> [data-documentation]) { position: relative }
  .widget-details, [data-documentation] { position: absolute; inset-block-start: 0; inset-inline-end: 0; z-index: 4 }
  [data-documentation] { inset-inline-end: calc(var(--level) * 2.75rem); display: flex }
  [data-documentation] > .widget-details { position: static }
  .widget-documentation-btn { inline-size: 2.75rem; block-size: 2.75rem }
  .documentation-view { max-block-size: 70vh; overflow: auto }
}`

function createButton(root: number, name: string, renderWidget: RenderWidget): HTMLElement {
  const button = element('button', {
    type: 'button',
    class: 'widget-documentation-btn',
    title: 'Documentation',
    'widget-id': String(root),
    'aria-haspopup': 'dialog',
    'aria-label': name ? `Documentation of ${name}` : 'Documentation',
  })
  button.textContent = '🗎'
  button.addEventListener('click', () => openDialog(root, renderWidget))
  return element('div', { class: 'widget-details' }, button)
}

/** Opens the dialog, which is removed when it closes. */
function openDialog(root: number, renderWidget: RenderWidget): void {
  const content = element('section', { class: 'documentation-view ck-content', tabindex: '0' })
  const close = (title: string) => {
    const button = element('button', { type: 'button', class: 'close', 'aria-label': title })
    button.textContent = title === 'Close' ? 'Close' : '✕'
    button.addEventListener('click', () => dialog.close())
    return button
  }
  const dialog = element(
    'dialog',
    { class: 'widget-documentation-preview-modal', 'aria-label': 'Documentation', closedby: 'any' },
    element('header', {}, text('h2', 'Documentation'), close('Close documentation')),
    content,
    element('footer', {}, close('Close')),
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  content.textContent = 'Please Wait...'
  fill(content, root, renderWidget).catch((error: unknown) => {
    content.replaceChildren(text('p', `Error: ${error instanceof Error ? error.message : error}`))
  })
}

async function fill(content: HTMLElement, root: number, renderWidget: RenderWidget): Promise<void> {
  const { config } = await fetchJson('/api/v1/config')
  const id = config?.documentationWidget
  if (typeof id === 'number' && id > 0) {
    await renderWidget(id, root, content)
    return
  }
  const { readEntries, sanitize } = await loadRenderer()
  const entries = readEntries(await fetchJson(`/api/v1/widgets/documentation?id=${root}`))
  const none = text('p', 'This widget has no documentation yet.')
  content.replaceChildren(
    ...(entries.length === 0 ? [none] : entries.map((entry) => articleOf(entry, sanitize))),
  )
}

async function fetchJson(path: string): Promise<any> {
  const response = await currentClient().fetch(path)
  if (response.status === 404) return {}
  if (!response.ok) throw new Error(response.statusText || `${response.status}`)
  return response.json()
}

/**
 * Returns an entry in the layout of the wire contract, with two differences: credentials are not shown, and pictures
 * and videos are links.
 */
function articleOf(entry: Entry, sanitize: (html: string) => DocumentFragment): HTMLElement {
  const { docTitle, type, content, creatorEmail } = entry
  const heading = [docTitle, typeLabels[type]].filter(Boolean).join(' ')
  const html = element('div', { class: 'content' })
  if (content) html.append(sanitize(content))
  const rows = type === 'api' ? apiRows(entry) : type === 'function' ? functionRows(entry) : []
  return element(
    'article',
    {},
    ...(heading ? [text('h3', heading)] : []),
    ...(entry.text ? [text('p', entry.text)] : []),
    html,
    ...rows.flatMap(([name, value]) => (value ? [text('p', `${name}: ${value}`)] : [])),
    ...linksOf('Web links', entry.docUrls),
    ...linksOf('Attachments', entry.imageUrls),
    ...linksOf('Videos', entry.videoLinks),
    ...(creatorEmail ? [text('p', `- added by: ${creatorEmail}`)] : []),
  )
}

const typeLabels: Record<string, string> = {
  api: '(API)',
  function: '(Functions and Classes)',
  imgAndLink: '(Images and Links)',
}

const apiRows = (entry: Entry): [name: string, value: string][] => [
  ['Method Type', entry.method.toUpperCase()],
  ['Endpoint', entry.methodUrl],
  ['Auth Type', entry.authType || 'None'],
  ['JSON', entry.jsonList.map(({ key, value }) => `${key}: ${value}`).join(', ')],
  ['Body', entry.apiBody],
  ['Scripts', entry.apiScript],
]

const functionRows = (entry: Entry): [name: string, value: string][] => [
  ['Language', entry.language],
  ['Parameter', entry.codeEditor],
  ['Returns', entry.return],
]

function linksOf(title: string, addresses: readonly string[]): HTMLElement[] {
  if (addresses.length === 0) return []
  const links = addresses.map((href) => {
    const link = element('a', { href, target: '_blank', rel: 'noopener noreferrer' })
    link.textContent = href
    return element('li', {}, link)
  })
  return [text('h4', title), element('ul', {}, ...links)]
}

function text(tag: 'h2' | 'h3' | 'h4' | 'p', content: string): HTMLElement {
  const created = document.createElement(tag)
  created.textContent = content
  return created
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string>,
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}
