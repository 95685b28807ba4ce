/**
 * A piece of a page with its own data, state and children. Applications extend it: `getHtml()` returns the HTML, and
 * `mount(parent)` draws it into the document. `beforeRender()` calls `render()` unless it is overridden.
 *
 *   mount    ─▶ draw ─▶ beforeRender ─▶ render ─▶ mountChild
 *   render   ─▶ draw ─▶ afterRender                  any number of times
 *   unmount  ─▶ end: the signal aborts, children end, the element is removed
 *
 * `render()` draws the HTML again, but keeps the elements of children with their current content, and moves them to
 * their new placeholders. The wire contract prescribes the method names, because stored widget code uses them.
 */
export class Widget {
  /** The props, until the widget replaces them. */
  data: unknown
  state: Record<string, unknown> = {}
  params: Record<string, unknown> = {}
  html = ''
  css = ''
  /** Name of the type that the widget shows. */
  widgetType = 'the_element_name'
  /** The element in which the widget is drawn. Unset before the widget is mounted. */
  element!: HTMLElement
  widgetMounted = false
  parentWidget: Widget | undefined
  /** Id of the widget's placeholder in the parent's HTML. */
  parentElement = ''
  readonly childWidgets: Widget[] = []
  /** The last values that children passed to `notify`, by the name of the value's type. */
  readonly childrenData: Record<string, unknown> = Object.create(null)
  readonly #sharedState = new Map<string, unknown>()
  readonly #listeners = new Set<(value: unknown) => void>()
  readonly #ended = new AbortController()

  /** Aborts when the widget ends. Pass it to event listeners and requests to end them with the widget. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Returns the HTML to draw. */
  getHtml(): string {
    return this.html
  }

  /** Draws the widget into an element. A mounted widget moves there and is drawn again. */
  mount(parent: Element): void | Promise<void> {
    if (this.widgetMounted) {
      parent.append(this.element)
      return this.render()
    }
    this.element = document.createElement('div')
    this.element.className = renderedClass
    parent.append(this.element)
    this.draw()
    void this.beforeRender()
    void this.mountChild()
    this.widgetMounted = true
  }

  /** Draws the widget again, puts children back into their placeholders, and runs `afterRender`. */
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

  /** Called after the parent has changed the data of the widget. */
  update(): void | Promise<void> {}

  /** Ends the widget and its children, and removes their elements. */
  unmount(): void {
    this.end()
    this.element.remove()
  }

  /** Ends the widget and its children; their elements stay. */
  end(): void {
    if (this.signal.aborted) return
    this.#ended.abort()
    this.#listeners.clear()
    for (const child of [...this.childWidgets]) child.end()
    const siblings = this.parentWidget?.childWidgets ?? []
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1)
    this.widgetMounted = false
  }

  /** Replaces the data. Does nothing when the data is the same value. */
  setState(data: unknown): void {
    this.setStateProperty({ data })
  }

  /** Sets fields of the widget. When any of them changed, notifies listeners and draws the widget again. */
  setStateProperty(fields: Readonly<Record<string, unknown>>): void {
    const fieldsOfThis = this as unknown as Record<string, unknown>
    const changed = Object.keys(fields).filter(
      (key) => key !== '__proto__' && fieldsOfThis[key] !== fields[key],
    )
    if (changed.length === 0) return
    for (const key of changed) fieldsOfThis[key] = fields[key]
    this.notify()
    void this.render()
  }

  /** Replaces the data of a child and draws it again. */
  UpdateChildData(data: unknown, child: Widget): void {
    child.data = data
    void child.render()
    void child.update()
  }

  /** Sets a value that all descendants share, and draws the descendants again, but not this widget. */
  setWidgetState(key: string, value: unknown): void {
    if (this.#sharedState.get(key) === value && this.#sharedState.has(key)) return
    this.#share(key, value)
    this.#renderDescendants()
  }

  /** Returns the shared value under a key; the fallback when it is missing or falsy. */
  getWidgetState(key: string, fallback?: unknown): unknown {
    return this.#sharedState.get(key) || fallback
  }

  /** Copies the shared values of the parent into a child that was created after they were set. */
  protected inherit(parent: Widget): void {
    for (const [key, value] of parent.#sharedState) this.#sharedState.set(key, value)
  }

  #share(key: string, value: unknown): void {
    this.#sharedState.set(key, value)
    for (const child of this.childWidgets) child.#share(key, value)
  }

  #renderDescendants(): void {
    for (const child of [...this.childWidgets]) {
      if (child.widgetMounted) void child.render()
      child.#renderDescendants()
    }
  }

  /** Subscribes to `notify`, which is called after every change of the data. Returns the unsubscribe function. */
  dataChange(listener: (value: unknown) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls all listeners with the value, and stores a value that has a type in `childrenData` of the parent. */
  notify(value: unknown = this.data): void {
    for (const listener of [...this.#listeners]) listener(value)
    const type = this.nameOfType(value)
    if (type !== undefined && this.parentWidget) this.parentWidget.childrenData[type] = value
  }

  /** Returns the type name of a concept; undefined for anything else. */
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

  /** Returns the elements to keep while drawing, by the ids of their placeholders. */
  protected keptElements(): Iterable<readonly [placeholderId: string, element: Element]> {
    return this.childWidgets.map((child) => [child.parentElement, child.element] as const)
  }

  /**
   * Draws the HTML. The new nodes are first inserted next to the old ones, so that kept elements can be moved without
   * leaving the document; then the old nodes are removed.
   */
  protected draw(): void {
    const oldNodes = Array.from(this.element.childNodes)
    const template = document.createElement('template')
    template.innerHTML = this.getHtml()
    const drawn = document.importNode(template.content, true)
    const moves = Array.from(this.keptElements(), ([id, element]) => ({
      element,
      placeholder: drawn.getElementById(id),
    }))
    this.element.append(drawn)
    for (const { element, placeholder } of moves) if (placeholder) moveInto(placeholder, element)
    for (const node of oldNodes) node.remove()
  }
}

/** The class of the elements in which widgets are drawn. The wire contract prescribes it. */
export const renderedClass = 'mftsccs-marking-rendered'

/** Moves an element. `moveBefore`, if the browser has it, preserves iframes, focus and playing media. */
function moveInto(placeholder: Element, element: Element): void {
  placeholder.replaceChildren()
  const canMoveBefore =
    element.isConnected && placeholder.isConnected && 'moveBefore' in placeholder
  if (canMoveBefore) placeholder.moveBefore(element, null)
  else placeholder.append(element)
}
