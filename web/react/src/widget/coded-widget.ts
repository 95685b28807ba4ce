import type { Client } from '@weft/client'
import {
  containmentCss,
  hostIn,
  needsContainment,
  placeholdersIn,
  wrapContained,
} from '../stored/compose.ts'
import { applyCss } from '../stored/stylesheets.ts'
import type { CodePart, WidgetCode, WidgetTree } from '../stored/widget-tree.ts'
import { errorBox } from './error-box.ts'
import type { Runtime, TreePosition } from './runtime.ts'
import { renderedClass, Widget } from './widget.ts'
import { scopeWidgetCss } from './widget-css.ts'

/**
 * The life cycle of a widget with code:
 *
 *   created ──▶ drawn ──▶ rendered ──▶ ended
 *
 *   created    constructed; its libraries are loading
 *   drawn      its HTML is in its element; functions, dependency, beforeRender, mountChild run, then the children start
 *   rendered   `render()` was called, by its own code, by a parent, or at the end of the start; afterRender has run
 *   ended      unmounted, or replaced by another version; nothing runs any more
 *
 * Every status can change to `ended`. Calling `render()` early changes `created` directly to `rendered`. If no hook
 * called `render()`, the start runs afterRender after the children have started. afterRender never runs twice for one
 * drawing. A hook that fails changes no status: its error is shown in the widget and the start continues.
 */
type Status = 'created' | 'drawn' | 'rendered' | 'ended'

/** A stored widget whose code runs in this document. */
export class CodedWidget extends Widget {
  readonly #stored: WidgetTree
  readonly #code: WidgetCode
  readonly #runtime: Runtime
  readonly #path: string
  /** The content of each placeholder, which survives a drawing: a child's host, the box around it, or a slot. */
  readonly #placed = new Map<string, HTMLElement>()
  /** Boxes that show errors, by the part of the code that failed. */
  readonly #errorBoxes = new Map<string, Element>()
  #placeholders = new Map<string, Element>()
  #appliedCss = { css: '', remove: () => {} }
  #status: Status = 'created'
  #tsccs: object = {}

  /** @param host the element of the widget, empty or with the widget's view in it */
  constructor(
    stored: WidgetTree,
    code: WidgetCode,
    host: HTMLElement,
    runtime: Runtime,
    position: TreePosition,
  ) {
    super()
    this.#stored = stored
    this.#code = code
    this.#runtime = runtime
    this.#path = position.path
    this.element = host
    this.html = code.html
    this.css = code.css
    this.widgetType = stored.type
    this.parentElement = position.wrapper
    const restored = runtime.restoredStates.get(position.path)
    this.state = restored?.state ?? {}
    this.data = restored?.data ?? runtime.props
    runtime.runningWidgets.add(this)
    if (position.parent) this.#joinParent(position.parent)
    for (const [id, placeholder] of placeholdersIn(host)) {
      const content = placeholder.firstElementChild
      if (content instanceof HTMLElement && content.matches(placedContent))
        this.#placed.set(id, content)
    }
    runtime.prepareWidget?.(this)
  }

  #joinParent(parent: Widget): void {
    this.parentWidget = parent
    this.inherit(parent)
    parent.childWidgets.push(this)
  }

  /** Runs all steps of the start in order. Never rejects: a step that fails shows its error in the widget. */
  async start(): Promise<void> {
    const { styles, scripts } = this.#code
    const { libraries } = this.#runtime
    const steps: (() => unknown)[] = [
      () => this.#showErrorsOf('libraries', () => libraries.use(styles, scripts, this.signal)),
      () => this.#drawFirst(),
      () => this.#runHook('functions'),
      () => this.#runHook('dependency'),
      () => this.#runHook('beforeRender'),
      () => this.#runHook('mountChild'),
      () => this.#startChildren(),
      () => this.#status === 'drawn' && this.#finishRender(),
      () => this.#path === '' && this.#runHook('js'),
    ]
    for (const step of steps) {
      if (this.#hasEnded()) return
      await step()
    }
  }

  #drawFirst(): void {
    this.element.classList.add(renderedClass)
    this.element.setAttribute('data-type-value', this.widgetType)
    if (this.#isAlreadyDrawn()) this.#afterDrawing()
    else this.draw()
    this.widgetMounted = true
    if (this.#status === 'created') this.#status = 'drawn'
  }

  /** Reports whether the static view in the element equals what a drawing would produce. */
  #isAlreadyDrawn(): boolean {
    const { html } = this.#stored
    const isStaticView = !usedElements.has(this.element) && this.element.hasChildNodes()
    usedElements.add(this.element)
    return isStaticView && html === this.#code.html && html === this.html
  }

  async #startChildren(): Promise<void> {
    const children = new Map(this.#stored.children.toReversed().map((c) => [c.wrapper, c.widget]))
    const starting: Promise<void>[] = []
    for (const [wrapper, placeholder] of this.#placeholders) {
      const child = children.get(wrapper)
      if (child === undefined) continue
      const content = this.#placed.get(wrapper) ?? this.#placeChild(child, placeholder)
      this.#placed.set(wrapper, content)
      const host = hostIn(content)
      if (host === undefined) continue
      const position = { parent: this, wrapper, path: `${this.#path}/${wrapper}` }
      starting.push(this.#runtime.startTree(child, host, position, this.signal))
    }
    await Promise.all(starting)
  }

  /** Draws the view of a child that is not in the document yet. */
  #placeChild(child: WidgetTree, placeholder: Element): HTMLElement {
    const { html, css } = this.#runtime.makeView(child)
    const isContained = needsContainment(this.#stored, child)
    for (const sheet of isContained ? [css, containmentCss] : [css])
      this.signal.addEventListener('abort', applyCss(sheet))
    const host = document.createElement('div')
    host.setAttribute('data-widget', String(child.id))
    host.innerHTML = html
    const content = isContained ? wrapContained(host) : host
    placeholder.replaceChildren(content)
    return content
  }

  #finishRender(): Promise<void> {
    this.#status = 'rendered'
    return this.afterRender()
  }

  override mount(parent: Element): void | Promise<void> {
    parent.append(this.element)
    return this.render()
  }

  override render(): void | Promise<void> {
    if (!this.#hasEnded()) this.#status = 'rendered'
    return super.render()
  }

  override beforeRender(): Promise<void> {
    return this.#runHook('beforeRender')
  }

  override mountChild(): Promise<void> {
    return this.#runHook('mountChild')
  }

  override afterRender(): Promise<void> {
    return this.#runHook('afterRender')
  }

  override update(): Promise<void> {
    return this.#runHook('update')
  }

  override notify(value: unknown = this.data): void {
    super.notify(value)
    if (this.parentWidget === undefined) this.#runtime.onNotify(value)
  }

  /** Ends the widget and empties its element. The element itself stays, because the view around the widget owns it. */
  override unmount(): void {
    this.end()
    this.element.replaceChildren()
  }

  override end(): void {
    if (this.#hasEnded()) return
    this.#status = 'ended'
    const data = this.data === this.#runtime.props ? undefined : this.data
    this.#runtime.savedStates.set(this.#path, { state: this.state, data })
    super.end()
    this.#runtime.runningWidgets.delete(this)
    this.element.classList.remove(renderedClass)
    this.element.removeAttribute('data-type-value')
    this.#appliedCss.remove()
  }

  #hasEnded(): boolean {
    return this.#status === 'ended'
  }

  protected override nameOfType(value: unknown): string | undefined {
    return super.nameOfType(value) ?? typeNameOf(value, this.#tsccs)
  }

  protected override keptElements(): Iterable<readonly [string, Element]> {
    return this.#placed
  }

  protected override draw(): void {
    super.draw()
    this.#afterDrawing()
    this.element.prepend(...this.#errorBoxes.values())
  }

  #afterDrawing(): void {
    this.#updateCss()
    this.#placeholders = this.#ownPlaceholders()
  }

  /** Returns the placeholders of this widget without those inside its children. */
  #ownPlaceholders(): Map<string, Element> {
    const all = [...placeholdersIn(this.element)]
    return new Map(all.filter(([, element]) => element.closest('[data-widget]') === this.element))
  }

  #updateCss(): void {
    if (this.css === this.#appliedCss.css) return
    const scoped = scopeWidgetCss(this.css, this.#stored.id, this.parentElement)
    const previous = this.#appliedCss
    this.#appliedCss = { css: this.css, remove: applyCss(scoped) }
    previous.remove()
  }

  async #runHook(part: CodePart): Promise<void> {
    const hasPart = part === 'functions' ? this.#code.functions.length > 0 : this.#code[part]
    if (!hasPart || this.#hasEnded()) return
    await this.#showErrorsOf(part, async () => {
      const [hook, tsccs] = await Promise.all([
        this.#runtime.loadHook(this.#stored, part),
        this.#runtime.tsccs(),
      ])
      if (this.#hasEnded()) return
      this.#tsccs = tsccs
      await hook.call(this, tsccs)
    })
  }

  /** Runs `work`. If it fails, shows the error under `name`; otherwise removes the error of an earlier run. */
  async #showErrorsOf(name: string, work: () => Promise<void>): Promise<void> {
    const previousBox = this.#errorBoxes.get(name)
    try {
      await work()
      previousBox?.remove()
      this.#errorBoxes.delete(name)
    } catch (e) {
      if (this.#hasEnded()) return
      const error = e instanceof Error ? e : new Error(String(e))
      const box = errorBox(name, error.message)
      this.#errorBoxes.set(name, box)
      previousBox?.remove()
      this.element.prepend(box)
      this.#runtime.onError(name, error)
    }
  }
}

/** Matches the content of placeholders, which moves to new placeholders when the widget is drawn again. */
const placedContent = '[data-widget], [data-slot], [data-contained]'

/** Elements in which code has run. Their content may differ from the static view. */
const usedElements = new WeakSet<Element>()

/** Returns the type name of a concept if the client has loaded its type; undefined for anything else. */
function typeNameOf(value: unknown, client: Partial<Pick<Client, 'concept'>>): string | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
  return typeof value.type === 'number' ? client.concept?.(value.type)?.value : undefined
}
