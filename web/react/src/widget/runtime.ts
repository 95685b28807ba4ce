import type { View } from '../stored/view.ts'
import type { CodePart, WidgetTree } from '../stored/widget-tree.ts'
import type { Libraries } from './libraries.ts'
import type { Widget } from './widget.ts'

/** A part of a widget's code as a function, called with the widget as `this`. */
export type HookFunction = (this: unknown, tsccs: unknown) => unknown

/**
 * The environment of the running widgets of one tree. `run` (run.ts) implements it for the page, and `FrameBridge`
 * (frame/frame-bridge.ts) for the sandbox frame. All other code is the same in both.
 */
export interface Runtime {
  /** The props of the main widget and of every descendant without data of its own. */
  props: unknown
  readonly runningWidgets: Set<Widget>
  readonly libraries: Libraries
  /** Returns the `tsccs` argument of hooks. */
  tsccs(): Promise<object>
  /** Called with each widget before its code runs, to add members to it. */
  prepareWidget?: ((widget: Widget) => void) | undefined
  /** Reports whether the code of the widget runs in this environment. */
  runsHere(widget: WidgetTree): boolean
  /** Returns a part of the widget's code as a function; rejects when it cannot be loaded or compiled. */
  loadHook(widget: WidgetTree, part: CodePart): Promise<HookFunction>
  makeView(widget: WidgetTree): View
  /** Starts the code in a tree whose view is in `host`. See `startTree`. */
  startTree(
    widget: WidgetTree,
    host: HTMLElement,
    position: TreePosition,
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Runs the widget and everything in it in a sandbox frame inside `host`. Returns the function that removes the frame.
   */
  startFrame?(widget: WidgetTree, host: HTMLElement): () => void
  /** Called with every error of the code. */
  onError(part: string, error: Error): void
  /** Called with the values that the main widget passes to `notify`. */
  onNotify(value: unknown): void
  /** State of the widgets of the replaced version, by path. */
  readonly restoredStates: ReadonlyMap<string, SavedState>
  /** State that widgets leave for the version that replaces them, by path. */
  readonly savedStates: Map<string, SavedState>
}

/** The state that a widget passes on to the version that replaces it. */
export interface SavedState {
  readonly state: Record<string, unknown>
  /** Undefined if the widget has not replaced its props by other data. */
  readonly data: unknown
}

/** The position of a widget in its running tree. */
export interface TreePosition {
  readonly parent?: Widget
  /** Id of the widget's placeholder; "" for the main widget. */
  readonly wrapper: string
  /** Identifies the widget in the tree across versions: the placeholder ids from the root; "" for the main widget. */
  readonly path: string
}

/** Gives new props to every widget that still has the previous props as its data. */
export function setProps(runtime: Runtime, props: unknown): void {
  const previous = runtime.props
  runtime.props = props
  for (const widget of [...runtime.runningWidgets]) {
    if (widget.data !== previous) continue
    widget.data = props
    if (!widget.widgetMounted) continue
    void widget.render()
    void widget.update()
  }
}
