import { hostOf, placesIn } from '../page/compose.ts'
import { runs, type Widget as Stored } from '../page/widget.ts'
import { CodedWidget } from './coded.ts'
import type { Place, Surroundings } from './surroundings.ts'

/**
 * Starts whatever runs in a tree whose view stands in a host, until the signal aborts. Resolves when all of
 * it has started, and never rejects.
 */
export async function bring(
  widget: Stored,
  host: HTMLElement,
  around: Surroundings,
  at: Place,
  signal: AbortSignal,
): Promise<void> {
  if (!runs(widget) || signal.aborted) return
  const { code } = widget
  if (code && around.runsHere(widget)) {
    const coded = new CodedWidget(widget, code, host, around, at)
    signal.addEventListener('abort', () => coded.end())
    return coded.start()
  }
  if (code && around.frame) {
    const end = around.frame(widget, host)
    signal.addEventListener('abort', end)
    return
  }
  await within(widget, host, around, at, signal)
}

/** A widget that does not run may hold some that do. */
async function within(
  widget: Stored,
  host: HTMLElement,
  around: Surroundings,
  at: Place,
  signal: AbortSignal,
): Promise<void> {
  const places = new Map(
    [...placesIn(host)].filter(([, place]) => place.closest('[data-widget]') === host),
  )
  const started: Promise<void>[] = []
  for (const { wrapper, widget: child } of widget.children) {
    const inner = hostOf(places.get(wrapper)?.firstElementChild)
    places.delete(wrapper)
    if (!inner?.matches(`[data-widget="${child.id}"]`)) continue
    const below = { ...at, wrapper, path: `${at.path}/${wrapper}` }
    started.push(bring(child, inner, around, below, signal))
  }
  await Promise.all(started)
}
