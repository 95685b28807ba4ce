import { useEffect, useRef, useState } from 'react'
import { setParams, useLocation } from '../model/router.ts'
import { loadNodes } from './api.ts'
import { addNodes, type Drawing, emptyDrawing } from './drawing.ts'
import { openPath, openRecord } from './explore.ts'
import { type Layout, placesOf, type SavedDrawing } from './saved.ts'
import { getDrawing, setDrawing, useDrawing } from './store.ts'

/** The state of loading the drawing that the address names. */
export type Load =
  | { readonly status: 'ready' | 'loading' }
  /** There is nothing to draw, for the reason in `text`. */
  | { readonly status: 'none'; readonly text: string }
  | { readonly status: 'error'; readonly error: unknown; readonly retry: () => void }

interface Saved {
  readonly isReady: boolean
  readonly all: readonly SavedDrawing[]
}

/**
 * Loads the drawing that the address names, and writes expanded groups and hidden nodes into the address of a record. Loads a
 * saved drawing again when another tab or user changes it.
 */
export function useAddress(saved: Saved): Load {
  const { rest, params } = useLocation()
  const [load, setLoad] = useState<Load>({ status: 'ready' })
  const [attempts, setAttempts] = useState(0)
  const address = rest.join('/')
  const layout =
    rest[0] === 'd' ? saved.all.find(({ name }) => name === rest[1])?.layout : undefined
  const isWaiting = rest[0] === 'd' && !saved.isReady
  const latest = useRef({ params })
  latest.current = { params }

  useEffect(() => {
    if (isWaiting) return setLoad({ status: 'loading' })
    const key = layout ? `${address} ${JSON.stringify(layout)}` : address
    if (address === '' || getDrawing().loadedFor === key) return setLoad({ status: 'ready' })
    let isCurrent = true
    setLoad({ status: 'loading' })
    open(address.split('/'), latest.current.params, layout).then(
      ({ drawing, text }) => {
        if (!isCurrent) return
        if (drawing) setDrawing({ ...drawing, loadedFor: key })
        setLoad(text === '' ? { status: 'ready' } : { status: 'none', text })
      },
      (error) => {
        if (!isCurrent) return
        setDrawing({ drawing: emptyDrawing, places: undefined, selected: undefined, loadedFor: '' })
        const retry = () => setAttempts(attempts + 1)
        setLoad({ status: 'error', error, retry })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [address, layout, isWaiting, attempts])
  useWrittenAddress(address)
  return load
}

interface Opened {
  readonly drawing?: {
    readonly drawing: Drawing
    readonly places: ReturnType<typeof placesOf> | undefined
    readonly selected: number | undefined
  }
  readonly text: string
}

async function open(
  [kind = '', first = '', second = '']: readonly string[],
  params: URLSearchParams,
  layout: Layout | undefined,
): Promise<Opened> {
  if (kind === 'd') {
    if (!layout) return { text: `There is no drawing named ${first}, or you may not see it.` }
    return { drawing: await openLayout(layout), text: '' }
  }
  if (kind === 'path') {
    const text = await openPath(idOf(first), idOf(second))
    return { text }
  }
  const drawing = await openRecord(idOf(kind), params)
  return { drawing: { drawing, places: undefined, selected: idOf(kind) }, text: '' }
}

function idOf(text: string): number {
  const id = Number(text)
  if (!Number.isSafeInteger(id) || id <= 0) throw new Error(`“${text}” is not the id of a record.`)
  return id
}

/** Reads the nodes of a saved drawing that still exist, and restores their positions. */
async function openLayout(layout: Layout) {
  const found = await loadNodes(layout.nodes.map(([id]) => id))
  const drawing = {
    ...addNodes(emptyDrawing, found),
    pinned: new Set(layout.pinned),
    hidden: new Set(layout.hidden),
    hiddenTypes: new Set(layout.hiddenTypes),
  }
  return { drawing, places: placesOf(layout), selected: undefined }
}

/** Writes the expanded groups and the hidden nodes into the address of a record. */
function useWrittenAddress(address: string): void {
  const { drawing, loadedFor } = useDrawing()
  const isRecord = /^\d+$/.test(address) && loadedFor === address
  const expand = drawing.expanded.join(',')
  const hide = [...drawing.hidden].join(',')
  useEffect(() => {
    if (isRecord) setParams({ expand, hide })
  }, [isRecord, expand, hide])
}
