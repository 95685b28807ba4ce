import type { Client } from '@weft/client'
import { contained, containing, contains, hostOf, placesIn } from '../page/compose.ts'
import { adopt } from '../page/sheet.ts'
import type { Code, Part, Widget as Stored } from '../page/widget.ts'
import { errorBox } from './error-box.ts'
import { styleOf } from './style.ts'
import type { Place, Surroundings } from './surroundings.ts'
import { marking, Widget } from './widget.ts'

/** A stored widget whose code runs. */
export class CodedWidget extends Widget {
  readonly #stored: Stored
  readonly #code: Code
  readonly #around: Surroundings
  readonly #path: string
  /** Hosts of children, or the boxes around them, and of what the application puts into the widget, by the ids of their places. */
  readonly #hosts = new Map<string, HTMLElement>()
  readonly #boxes = new Map<string, Element>()
  #places = new Map<string, Element>()
  #styled = { css: '', release: () => {} }
  #renders = 0
  #tsccs: object = {}

  /** @param host an element in which the widget's view stands, or nothing */
  constructor(stored: Stored, code: Code, host: HTMLElement, around: Surroundings, at: Place) {
    super()
    this.#stored = stored
    this.#code = code
    this.#around = around
    this.#path = at.path
    this.element = host
    this.html = code.html
    this.css = code.css
    this.widgetType = stored.type
    this.parentElement = at.wrapper
    const before = around.before.get(at.path)
    this.state = before?.state ?? {}
    this.data = before?.data ?? around.props
    around.live.add(this)
    if (at.above) this.#join(at.above)
    for (const [id, place] of placesIn(host)) {
      const inner = place.firstElementChild
      if (inner instanceof HTMLElement && inner.matches(moved)) this.#hosts.set(id, inner)
    }
  }

  #join(above: Widget): void {
    this.parentWidget = above
    this.inherit(above)
    above.childWidgets.push(this)
  }

  /** Everything that happens to it, in order. Never rejects: what fails says so in the widget's place. */
  async start(): Promise<void> {
    const { styles, scripts } = this.#code
    const { libraries } = this.#around
    const steps: (() => unknown)[] = [
      () => this.#guard('libraries', () => libraries.use(styles, scripts, this.signal)),
      () => this.#begin(),
      () => this.#run('functions'),
      () => this.#run('dependency'),
      () => this.#run('beforeRender'),
      () => this.#run('mountChild'),
      () => this.#children(),
      () => this.#renders === 0 && this.afterRender(),
      () => this.#path === '' && this.#run('js'),
    ]
    for (const step of steps) {
      if (this.signal.aborted) return
      await step()
    }
  }

  #begin(): void {
    this.element.classList.add(marking)
    this.element.setAttribute('data-type-value', this.widgetType)
    if (this.#isDrawn()) this.#settle()
    else this.draw()
    this.widgetMounted = true
  }

  /** What was cleaned and is what is stored stands there already. */
  #isDrawn(): boolean {
    const { html } = this.#stored
    const clean = !used.has(this.element) && this.element.hasChildNodes()
    used.add(this.element)
    return clean && html === this.#code.html && html === this.html
  }

  async #children(): Promise<void> {
    const wanted = new Map(this.#stored.children.toReversed().map((c) => [c.wrapper, c.widget]))
    const started: Promise<void>[] = []
    for (const [wrapper, place] of this.#places) {
      const child = wanted.get(wrapper)
      if (child === undefined) continue
      const standing = this.#hosts.get(wrapper) ?? this.#stand(child, place)
      this.#hosts.set(wrapper, standing)
      const host = hostOf(standing)
      if (host === undefined) continue
      const at = { above: this, wrapper, path: `${this.#path}/${wrapper}` }
      started.push(this.#around.bring(child, host, at, this.signal))
    }
    await Promise.all(started)
  }

  /** Draws a child that does not stand in the page yet. */
  #stand(child: Stored, place: Element): HTMLElement {
    const { html, css } = this.#around.view(child)
    const lesser = contains(this.#stored, child)
    for (const sheet of lesser ? [css, containing] : [css])
      this.signal.addEventListener('abort', adopt(sheet))
    const host = document.createElement('div')
    host.setAttribute('data-widget', String(child.id))
    host.innerHTML = html
    const standing = lesser ? contained(host) : host
    place.replaceChildren(standing)
    return standing
  }

  override mount(parent: Element): void | Promise<void> {
    parent.append(this.element)
    return this.render()
  }

  override render(): void | Promise<void> {
    if (!this.signal.aborted) this.#renders++
    return super.render()
  }

  override beforeRender(): Promise<void> {
    return this.#run('beforeRender')
  }

  override mountChild(): Promise<void> {
    return this.#run('mountChild')
  }

  override afterRender(): Promise<void> {
    return this.#run('afterRender')
  }

  override update(): Promise<void> {
    return this.#run('update')
  }

  override notify(value: unknown = this.data): void {
    super.notify(value)
    if (this.parentWidget === undefined) this.#around.notified(value)
  }

  /** The element stays: it belongs to whoever made it. */
  override unmount(): void {
    this.end()
    this.element.replaceChildren()
  }

  override end(): void {
    if (this.signal.aborted) return
    const data = this.data === this.#around.props ? undefined : this.data
    this.#around.after.set(this.#path, { state: this.state, data })
    super.end()
    this.#around.live.delete(this)
    this.element.classList.remove(marking)
    this.element.removeAttribute('data-type-value')
    this.#styled.release()
  }

  protected override nameOfType(value: unknown): string | undefined {
    return super.nameOfType(value) ?? typeName(value, this.#tsccs)
  }

  protected override kept(): Iterable<readonly [string, Element]> {
    return this.#hosts
  }

  protected override draw(): void {
    super.draw()
    this.#settle()
    this.element.prepend(...this.#boxes.values())
  }

  #settle(): void {
    this.#style()
    this.#places = this.#ownPlaces()
  }

  /** Places inside of children are theirs. */
  #ownPlaces(): Map<string, Element> {
    const own = [...placesIn(this.element)]
    return new Map(own.filter(([, place]) => place.closest('[data-widget]') === this.element))
  }

  #style(): void {
    if (this.css === this.#styled.css) return
    const css = styleOf(this.css, this.#stored.id, this.parentElement)
    const before = this.#styled
    this.#styled = { css: this.css, release: adopt(css) }
    before.release()
  }

  async #run(part: Part): Promise<void> {
    const text = part === 'functions' ? this.#code.functions.length > 0 : this.#code[part]
    if (!text || this.signal.aborted) return
    await this.#guard(part, async () => {
      const [hook, tsccs] = await Promise.all([
        this.#around.hook(this.#stored, part),
        this.#around.tsccs(),
      ])
      if (this.signal.aborted) return
      this.#tsccs = tsccs
      await hook.call(this, tsccs)
    })
  }

  /** Does something, and shows under its name what went wrong; what went wrong before is forgotten. */
  async #guard(name: string, work: () => Promise<void>): Promise<void> {
    const former = this.#boxes.get(name)
    try {
      await work()
      former?.remove()
      this.#boxes.delete(name)
    } catch (e) {
      if (this.signal.aborted) return
      const error = e instanceof Error ? e : new Error(String(e))
      const box = errorBox(name, error.message)
      this.#boxes.set(name, box)
      former?.remove()
      this.element.prepend(box)
      this.#around.failed(name, error)
    }
  }
}

/** What stands in places and moves with them. */
const moved = '[data-widget], [data-slot], [data-contained]'

/** Elements that code has run in, so that what stands in them may be anything. */
const used = new WeakSet<Element>()

/** The name of the type of a concept that the client knows. */
function typeName(value: unknown, client: Partial<Pick<Client, 'concept'>>): string | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
  return typeof value.type === 'number' ? client.concept?.(value.type)?.value : undefined
}
