import { setOwn } from '@weft/client/internal'

/*
 * Widgets that applications write: classes with HTML, state, children and hooks.
 *
 *   mount    ─▶ draw ─▶ before_render ─▶ render ─▶ mount_child
 *   render   ─▶ draw ─▶ children return to their placeholders ─▶ after_render
 *   setState ─▶ if a field changed: notify, render
 *
 * The HTML of a widget comes from the application itself, so it is not sanitised.
 */

/** The class of the elements in which widgets are drawn. */
const renderedClass = 'mftsccs-marking-rendered'

let lastIdentifier = 0

/** An element of the page that other code may observe. */
class BaseWidget {
  data: any
  inDevelopment = false
  subscribers: any[] = []
  element: any = null
  elementIdentifier = 0
  widgetMounted = false

  /** Calls back with each value that is passed to `notify`. */
  dataChange(callback: (value: any) => any): void {
    this.subscribers.push(callback)
  }

  /** Calls all subscribers with a value, by default the data. */
  notify(value: any = this.data): void {
    for (const subscriber of [...this.subscribers]) subscriber(value)
  }

  getComponent(): any {
    return this.element
  }

  /** Finds an element inside the widget. */
  getElementById(identifier: string): any {
    return this.element?.querySelector(`#${CSS.escape(identifier)}`) ?? null
  }

  /** Returns a unique id for the element of the widget. */
  createWidgetWrapperIdentifier(): number {
    lastIdentifier++
    return lastIdentifier
  }
}

/** The base class of an application's widgets. */
export class StatefulWidget extends BaseWidget {
  params: any
  html = ''
  css = ''
  js = ''
  state: { [key: string]: any } = {}
  previousState: { [key: string]: any } = {}
  childWidgets: any = []
  childWidgetElement: any = []
  parentWidget: any = null
  /** State that the widget shares with all widgets below it. */
  widgetState: { [key: string]: any } = {}
  /** Id of the widget's placeholder in the HTML of its parent. */
  parentElement = ''

  querySelector(selector: string): Element | null {
    return this.element?.querySelector(selector) ?? null
  }

  querySelectorAll(selector: string): NodeListOf<Element> | null {
    return this.element?.querySelectorAll(selector) ?? null
  }

  getElement(): HTMLElement | null {
    return this.element
  }

  setTitle(title: string): void {
    document.title = title
  }

  /** Returns the HTML to draw. Subclasses override it. */
  getHtml(): string {
    return this.html
  }

  /** Replaces the data of a child and draws the child again. */
  UpdateChildData(value: any, widget: StatefulWidget): void {
    widget.data = value
    widget.render()
    widget.update()
  }

  /** Called after the parent has changed the data. Subclasses may override it. */
  update(): void {}

  /** Replaces the data and draws the widget again. Does nothing if the value is the same. */
  setState(newState: any): void {
    this.setStateProperty({ data: newState })
  }

  /** Sets fields of the widget. If one of them changed, notifies the subscribers and draws the widget again. */
  setStateProperty(newProperty: object): void {
    this.previousState = { ...(this as object) }
    for (const [key, value] of Object.entries(newProperty)) setOwn(this as any, key, value)
    if (!this.hasStateChanged()) return
    this.notify()
    this.render()
  }

  /** Reports whether a field differs from the last call of `setState` or `setStateProperty`. */
  hasStateChanged(): boolean {
    return Object.entries(this).some(
      ([key, value]) =>
        key !== 'previousState' && !this.isPropertyEqual(value, this.previousState[key]),
    )
  }

  isPropertyEqual(a: any, b: any): boolean {
    return Object.is(a, b)
  }

  /** Puts the children back into their placeholders. */
  loadChildWidgets(): void {
    for (const child of this.childWidgets as StatefulWidget[]) {
      const placeholder = this.getElementById(child.parentElement)
      if (!placeholder) continue
      placeholder.replaceChildren()
      if (child.element) placeholder.append(child.element)
      if (child.element) child.render()
      else void child.mount(placeholder)
    }
  }

  /** Draws the widget again. */
  render(): void {
    if (!this.element) return
    this.element.innerHTML = this.getHtml()
    this.loadChildWidgets()
    this.after_render()
  }

  getElementByClassName(identifier: string): never[] | NodeListOf<Element> {
    return this.element?.querySelectorAll(`.${CSS.escape(identifier)}`) ?? []
  }

  /** Mounts the children. Subclasses override it. */
  mount_child(): void {}

  /** Draws the widget into an element. */
  async mount(parent: HTMLElement): Promise<void> {
    if (!parent) return
    this.elementIdentifier = this.createWidgetWrapperIdentifier()
    const element = document.createElement('div')
    element.id = `widget-${this.elementIdentifier}`
    element.className = renderedClass
    element.innerHTML = this.getHtml()
    this.element = element
    if (parent.id && !this.parentElement) this.parentElement = parent.id
    parent.append(element)
    this.before_render()
    this.mount_child()
    this.widgetMounted = true
  }

  before_render(): void {
    this.render()
  }

  /** Called after each drawing. Subclasses may override it. */
  after_render(): void {}

  /** Draws the children again. */
  renderChildWidgets(): void {
    for (const child of this.childWidgets as StatefulWidget[]) {
      child.render()
      child.renderChildWidgets()
    }
  }

  /** Sets a value that all widgets below this one share, and draws them again. */
  setWidgetState(key: string, value: any): void {
    shareState(this, key, value)
    this.renderChildWidgets()
  }

  getWidgetState(key: string, defaultValue: any): any {
    return this.widgetState[key] || defaultValue
  }
}

/** Sets a shared value in a widget and in all widgets below it. */
function shareState(widget: StatefulWidget, key: string, value: any): void {
  setOwn(widget.widgetState, key, value)
  for (const child of widget.childWidgets as StatefulWidget[]) shareState(child, key, value)
}
