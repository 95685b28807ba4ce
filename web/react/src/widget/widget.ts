/**
 * A piece of a page with data, state and children of its own. Applications extend it: `getHtml()` says what
 * it shows, `beforeRender()` calls `render()` unless it is overridden, and `mount(parent)` puts it there.
 *
 * What is drawn is drawn anew by `render()`; the elements of children, and whatever happened in them, are
 * kept and put back into their places.
 */
export class Widget {
  /** What the widget was given. */
  data: unknown
  state: Record<string, unknown> = {}
  params: Record<string, unknown> = {}
  html = ''
  css = ''
  /** Name of the type that it shows. */
  widgetType = 'the_element_name'
  /** Where it is drawn. There is none before it is mounted. */
  element!: HTMLElement
  widgetMounted = false
  parentWidget: Widget | undefined
  /** Id of the placeholder in the parent's HTML. */
  parentElement = ''
  readonly childWidgets: Widget[] = []
  /** What children told last, by the name of its type. */
  readonly childrenData: Record<string, unknown> = Object.create(null)
  readonly #shared = new Map<string, unknown>()
  readonly #listeners = new Set<(value: unknown) => void>()
  readonly #ended = new AbortController()

  /** Aborts when the widget is unmounted. Give it to listeners and requests, and they leave too. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** What is drawn. */
  getHtml(): string {
    return this.html
  }

  /** Puts the widget into an element. One that is mounted already moves there and is drawn anew. */
  mount(parent: Element): void | Promise<void> {
    if (this.widgetMounted) {
      parent.append(this.element)
      return this.render()
    }
    this.element = document.createElement('div')
    this.element.className = marking
    parent.append(this.element)
    this.draw()
    void this.beforeRender()
    void this.mountChild()
    this.widgetMounted = true
  }

  /** Draws, puts children back into their places, and runs afterRender. */
  render(): void | Promise<void> {
    if (this.signal.aborted) return
    this.draw()
    return this.afterRender()
  }

  beforeRender(): void | Promise<void> {
    return this.render()
  }

  mountChild(): void | Promise<void> {}

  afterRender(): void | Promise<void> {}

  /** Runs after a parent has given it new data. */
  update(): void | Promise<void> {}

  /** Takes the widget and its children away, for good. */
  unmount(): void {
    this.end()
    this.element.remove()
  }

  /** Ends what the widget does; what it has drawn stays. */
  end(): void {
    if (this.signal.aborted) return
    this.#ended.abort()
    this.#listeners.clear()
    for (const child of [...this.childWidgets]) child.end()
    const siblings = this.parentWidget?.childWidgets ?? []
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1)
    this.widgetMounted = false
  }

  /** Replaces the data. The same data again is nothing new. */
  setState(data: unknown): void {
    this.setStateProperty({ data })
  }

  /** Sets fields of the widget. When one of them changed, listeners are told and it is drawn anew. */
  setStateProperty(fields: Readonly<Record<string, unknown>>): void {
    const here = this as unknown as Record<string, unknown>
    const changed = Object.keys(fields).filter(
      (key) => key !== '__proto__' && here[key] !== fields[key],
    )
    if (changed.length === 0) return
    for (const key of changed) here[key] = fields[key]
    this.notify()
    void this.render()
  }

  /** Gives a child other data. */
  UpdateChildData(data: unknown, child: Widget): void {
    child.data = data
    void child.render()
    void child.update()
  }

  /** Sets what is shared with everything below, which is drawn anew; the widget itself is not. */
  setWidgetState(key: string, value: unknown): void {
    if (this.#shared.get(key) === value && this.#shared.has(key)) return
    this.#share(key, value)
    this.#renderBelow()
  }

  /** What is shared under a key; the fallback for what is empty, 0 or false too. */
  getWidgetState(key: string, fallback?: unknown): unknown {
    return this.#shared.get(key) || fallback
  }

  /** What is shared so far, for a child that comes later. */
  protected inherit(parent: Widget): void {
    for (const [key, value] of parent.#shared) this.#shared.set(key, value)
  }

  #share(key: string, value: unknown): void {
    this.#shared.set(key, value)
    for (const child of this.childWidgets) child.#share(key, value)
  }

  #renderBelow(): void {
    for (const child of [...this.childWidgets]) {
      if (child.widgetMounted) void child.render()
      child.#renderBelow()
    }
  }

  /** Calls back when the data changed, or somebody says so. Returns how to stop. */
  dataChange(changed: (value: unknown) => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  /** Tells listeners, and leaves what has a type with the parent. */
  notify(value: unknown = this.data): void {
    for (const changed of [...this.#listeners]) changed(value)
    const type = this.nameOfType(value)
    if (type !== undefined && this.parentWidget) this.parentWidget.childrenData[type] = value
  }

  /** The name of the type of a concept; undefined for everything else. */
  protected nameOfType(value: unknown): string | undefined {
    if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
    return typeof value.type === 'string' ? value.type : undefined
  }

  setTitle(title: string): void {
    document.title = title
  }

  getElementById(id: string): HTMLElement | null {
    return this.element.querySelector<HTMLElement>(`#${CSS.escape(id)}`)
  }

  getElementByClassName(name: string): HTMLElement | null {
    return this.element.querySelector<HTMLElement>(`.${CSS.escape(name)}`)
  }

  querySelector(selector: string): Element | null {
    return this.element.querySelector(selector)
  }

  querySelectorAll(selector: string): NodeListOf<Element> {
    return this.element.querySelectorAll(selector)
  }

  /** Elements to put back after drawing, by the ids of their places. */
  protected kept(): Iterable<readonly [place: string, element: Element]> {
    return this.childWidgets.map((child) => [child.parentElement, child.element] as const)
  }

  /** Draws beside what is there, moves what is kept over, and only then takes the old away. */
  protected draw(): void {
    const old = Array.from(this.element.childNodes)
    const template = document.createElement('template')
    template.innerHTML = this.getHtml()
    const drawn = document.importNode(template.content, true)
    const kept = Array.from(this.kept(), ([id, element]) => ({
      element,
      place: drawn.getElementById(id),
    }))
    this.element.append(drawn)
    for (const { element, place } of kept) if (place) move(element, place)
    for (const node of old) node.remove()
  }
}

/** The class of elements that widgets are drawn in. */
export const marking = 'mftsccs-marking-rendered'

/** Frames, focus and films survive a move, where the browser knows how. */
function move(element: Element, place: Element): void {
  place.replaceChildren()
  const kept = element.isConnected && place.isConnected && 'moveBefore' in place
  if (kept) place.moveBefore(element, null)
  else place.append(element)
}
