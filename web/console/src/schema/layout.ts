/** A box of the picture: the name of a type, and the position of its cell in pixels. */
export interface Box {
  readonly name: string
  readonly x: number
  readonly y: number
}

/** A link between two types. */
export interface TypeLink {
  readonly from: string
  readonly to: string
  readonly label: string
}

/** Width and height of a cell of the grid: a box with the space around it. */
export const place = { width: 226, height: 112 }

/**
 * Places types on a grid so that linked types are near each other. It fills the grid in the order of a walk along the links, then
 * swaps types while that shortens the links. The result depends on the input alone. There are at most a few dozen types, so
 * this needs no worker.
 */
export function layOut(
  names: readonly string[],
  links: readonly TypeLink[],
  columns: number,
): readonly Box[] {
  const order = walkLinks(names, links)
  const cells = order.map((_, i) => ({ x: i % columns, y: Math.floor(i / columns) }))
  const at = new Map(order.map((name, i) => [name, i]))
  const pairs = links.flatMap(({ from, to }) => {
    const [a, b] = [at.get(from), at.get(to)]
    return a === undefined || b === undefined || a === b ? [] : [[a, b] as const]
  })
  const cellOf = order.map((_, i) => i)
  shortenLinks(cellOf, pairs, cells)
  return order.map((name, i) => {
    const cell = cells[cellOf[i] ?? 0] ?? { x: 0, y: 0 }
    return { name, x: cell.x * place.width, y: cell.y * place.height }
  })
}

/** Returns the names in breadth-first order along the links. Each walk starts at the unvisited name with the most links. */
function walkLinks(names: readonly string[], links: readonly TypeLink[]): readonly string[] {
  const near = new Map(names.map((name) => [name, new Set<string>()]))
  for (const { from, to } of links) {
    near.get(from)?.add(to)
    near.get(to)?.add(from)
  }
  const byLinks = names.toSorted(
    (a, b) => (near.get(b)?.size ?? 0) - (near.get(a)?.size ?? 0) || a.localeCompare(b),
  )
  const seen = new Set<string>()
  for (const start of byLinks) {
    const waiting = [start]
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (seen.has(name) || !near.has(name)) continue
      seen.add(name)
      waiting.push(...byLinks.filter((other) => near.get(name)?.has(other)))
    }
  }
  return [...seen]
}

type Cell = { readonly x: number; readonly y: number }

/** Maximum number of rounds of swaps. A round without an improvement is the last one. */
const maxRounds = 12

function shortenLinks(
  cellOf: number[],
  pairs: readonly (readonly [number, number])[],
  cells: readonly Cell[],
): void {
  const lengthAt = (node: number): number => {
    let sum = 0
    for (const [a, b] of pairs) {
      if (a !== node && b !== node) continue
      const [p, q] = [cells[cellOf[a] ?? 0], cells[cellOf[b] ?? 0]]
      if (p && q) sum += Math.hypot((p.x - q.x) * place.width, (p.y - q.y) * place.height)
    }
    return sum
  }
  const swap = (a: number, b: number) => {
    ;[cellOf[a], cellOf[b]] = [cellOf[b] ?? 0, cellOf[a] ?? 0]
  }
  for (let round = 0; round < maxRounds; round++) {
    let isBetter = false
    for (let a = 0; a < cellOf.length; a++)
      for (let b = a + 1; b < cellOf.length; b++) {
        const before = lengthAt(a) + lengthAt(b)
        swap(a, b)
        if (lengthAt(a) + lengthAt(b) < before - 0.5) isBetter = true
        else swap(a, b)
      }
    if (!isBetter) return
  }
}
