/** A stored widget with everything inside it. A widget without a name is not a widget. */
export interface Widget {
  readonly id: number
  readonly name: string
  readonly html: string
  readonly css: string
  readonly children: readonly Child[]
}

/** A widget and the id of the element in its parent's HTML that it goes into. */
export interface Child {
  readonly wrapper: string
  readonly widget: Widget
}

/** Deeper or wider trees are cut: stored data may be hostile, or just wrong. */
const maxDepth = 16
const maxWidgets = 256

/**
 * Reads a widget tree out of JSON that may be anything. What makes no sense is left out: a field that is
 * not text, a child without a place, and a widget inside itself.
 */
export function readWidget(json: unknown): Widget {
  let left = maxWidgets
  const read = (json: unknown, above: readonly number[]): Widget => {
    const id = idIn(json)
    const inside = [...above, id]
    return {
      id,
      name: textIn(json, 'name'),
      html: textIn(json, 'html'),
      css: textIn(json, 'css'),
      children: inside.length > maxDepth ? [] : listIn(json, 'children').flatMap(child(inside)),
    }
  }
  const child = (above: readonly number[]) => (json: unknown) => {
    const wrapper = textIn(json, 'wrapper')
    const inner = memberOf(json, 'widget')
    if (wrapper === '' || above.includes(idIn(inner)) || --left <= 0) return []
    return [{ wrapper, widget: read(inner, above) }]
  }
  return read(json, [])
}

/** The text under a key. Builders store what they do not know as the words listed here. */
export function textIn(json: unknown, key: string): string {
  const value = memberOf(json, key)
  return typeof value !== 'string' || nothing.has(value) ? '' : value
}

const nothing = new Set(['undefined', 'null', 'NaN'])

/** What a key of an object holds; undefined where there is no object or no key of its own. */
export function memberOf(json: unknown, key: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, key)) return undefined
  return (json as Record<string, unknown>)[key]
}

export function idIn(json: unknown): number {
  const id = memberOf(json, 'id')
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : 0
}

function listIn(json: unknown, key: string): readonly unknown[] {
  const list = memberOf(json, key)
  return Array.isArray(list) ? list : []
}
