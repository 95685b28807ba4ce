import { hostIn, placeholdersIn } from '../stored/compose.ts'
import { hasCode, type WidgetTree } from '../stored/widget-tree.ts'
import { CodedWidget } from './coded-widget.ts'
import type { Runtime, TreePosition } from './runtime.ts'

/**
 * Starts all code in a widget tree whose view is in `host`. The code ends when the signal aborts.
 *
 * A widget with code that runs here becomes a `CodedWidget`; other code gets a sandbox frame; a widget without code is
 * searched for children with code. Resolves when all of them have started; never rejects.
 */
export async function startTree(
  widget: WidgetTree,
  host: HTMLElement,
  runtime: Runtime,
  position: TreePosition,
  signal: AbortSignal,
): Promise<void> {
  if (!hasCode(widget) || signal.aborted) return
  const { code } = widget
  if (code && runtime.runsHere(widget)) {
    const coded = new CodedWidget(widget, code, host, runtime, position)
    signal.addEventListener('abort', () => coded.end())
    return coded.start()
  }
  if (code && runtime.startFrame) {
    const endFrame = runtime.startFrame(widget, host)
    signal.addEventListener('abort', endFrame)
    return
  }
  await startChildren(widget, host, runtime, position, signal)
}

/** Starts the children of a widget without code. */
async function startChildren(
  widget: WidgetTree,
  host: HTMLElement,
  runtime: Runtime,
  position: TreePosition,
  signal: AbortSignal,
): Promise<void> {
  const placeholders = new Map(
    [...placeholdersIn(host)].filter(([, element]) => element.closest('[data-widget]') === host),
  )
  const starting: Promise<void>[] = []
  for (const { wrapper, widget: child } of widget.children) {
    const childHost = hostIn(placeholders.get(wrapper)?.firstElementChild)
    placeholders.delete(wrapper)
    if (!childHost?.matches(`[data-widget="${child.id}"]`)) continue
    const childPosition = { ...position, wrapper, path: `${position.path}/${wrapper}` }
    starting.push(startTree(child, childHost, runtime, childPosition, signal))
  }
  await Promise.all(starting)
}
