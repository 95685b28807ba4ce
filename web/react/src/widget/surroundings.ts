import type { View } from '../page/view.ts'
import type { Part, Widget as Stored } from '../page/widget.ts'
import type { Libraries } from './libraries.ts'
import type { Widget } from './widget.ts'

/** A piece of code, made ready to be called with the widget as `this`. */
export type Hook = (this: unknown, tsccs: unknown) => unknown

/** Where code runs: in the page, or in a frame. */
export interface Surroundings {
  /** What the main widget is given, and everything below it. */
  props: unknown
  /** The widgets that run. */
  readonly live: Set<Widget>
  readonly libraries: Libraries
  /** What code is called with. */
  tsccs(): Promise<object>
  /** Says whether the widget's own code runs here. */
  runsHere(widget: Stored): boolean
  /** The code of a part; rejects when it makes no sense. Only asked for where there is some. */
  hook(widget: Stored, part: Part): Promise<Hook>
  view(widget: Stored): View
  /** Starts what runs in a tree whose view stands in a host. See bring. */
  bring(widget: Stored, host: HTMLElement, at: Place, signal: AbortSignal): Promise<void>
  /** Puts a frame for the widget, and everything in it, into its host. Returns how to take it away. */
  frame?(widget: Stored, host: HTMLElement): () => void
  /** Told of code that failed. */
  failed(part: string, error: Error): void
  /** Told what the main widget tells. */
  notified(value: unknown): void
  /** What widgets of a former version have left, by their path. */
  readonly before: ReadonlyMap<string, Kept>
  /** What widgets leave for the next version. */
  readonly after: Map<string, Kept>
}

/** What one version of a widget leaves to the next. */
export interface Kept {
  readonly state: Record<string, unknown>
  /** Undefined when it still is what was given. */
  readonly data: unknown
}

/** Where a widget stands among those that run. */
export interface Place {
  readonly above?: Widget
  /** Id of its placeholder; "" for the main widget. */
  readonly wrapper: string
  /** Names it among all widgets of the page, whatever their version; "" for the main widget. */
  readonly path: string
}

/** Gives other props to all who have those given before. */
export function give(around: Surroundings, props: unknown): void {
  const before = around.props
  around.props = props
  for (const widget of [...around.live]) {
    if (widget.data !== before) continue
    widget.data = props
    if (!widget.widgetMounted) continue
    void widget.render()
    void widget.update()
  }
}
