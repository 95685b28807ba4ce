import type { Id } from '@weft/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { numberText } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import { useTypes } from '../model/types.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { type LinkGroup, loadNeighbors, type NeighborPage, pageSize } from './api.ts'
import { addNodes, groupKey, markExpanded } from './drawing.ts'
import { groupName, nodeName } from './names.ts'
import { changeDrawing, useDrawing } from './store.ts'

/** Offers the links of one group: a search, the next page of 50, and buttons that draw one record or all listed ones. */
export function Picker({
  of,
  group,
  close,
}: {
  readonly of: Id
  readonly group: LinkGroup
  readonly close: () => void
}) {
  const { drawing } = useDrawing()
  const { types } = useTypes()
  const [search, setSearch] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const { page, error, more } = useNeighbors(of, group, search)
  const name = groupName(types, group)
  const draw = (nodes: NeighborPage['nodes'], label: string) => {
    const ids = new Set(nodes.map(({ id }) => id))
    const edges = page.edges.filter(({ from, to }) => ids.has(from) || ids.has(to))
    const key = groupKey(drawing, of, group)
    changeDrawing(label, markExpanded(addNodes(drawing, { nodes, edges }), key))
  }
  const missing = page.nodes.filter(({ id }) => !drawing.nodes.has(id))
  return (
    <Dialog title={`${name}: ${numberText(group.count)}`} isOpen close={close} className="narrow">
      <label className="field">
        <span>Find among them</span>
        <input
          ref={field}
          type="search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </label>
      <p className="soft" role="status">
        {error ?? summaryOf(page, group.count, search)}
      </p>
      <ul className="graph-found">
        {page.nodes.map((node) => (
          <li key={node.id}>
            <BusyButton
              isUnavailable={drawing.nodes.has(node.id)}
              onClick={() => draw([node], `Added ${nodeName(node)}`)}
            >
              <span className="unseen">Draw </span>
              {nodeName(node)}
              {drawing.nodes.has(node.id) && <span className="soft"> drawn</span>}
            </BusyButton>
          </li>
        ))}
      </ul>
      <p className="acts">
        <BusyButton
          className="button"
          isUnavailable={missing.length === 0}
          onClick={() => draw(missing, `Added ${numberText(missing.length)} of ${name}`)}
        >
          Draw these {numberText(missing.length)}
        </BusyButton>
        {page.next !== undefined && (
          <button type="button" className="button quiet" onClick={more}>
            Next {pageSize}
          </button>
        )}
      </p>
    </Dialog>
  )
}

function summaryOf({ nodes, searched }: NeighborPage, count: number, search: string): string {
  if (search === '') return `${numberText(nodes.length)} of ${numberText(count)}, newest first.`
  const scope = searched < count ? ` among the newest ${numberText(searched)}` : ''
  return nodes.length === 0
    ? `No match${scope}.`
    : `${numberText(nodes.length)} ${nodes.length === 1 ? 'match' : 'matches'}${scope}.`
}

const noPage: NeighborPage = { nodes: [], edges: [], searched: 0 }

/** Returns the neighbours that were read so far, and a function that reads the next page. */
function useNeighbors(of: Id, group: LinkGroup, search: string) {
  const [page, setPage] = useState(noPage)
  const [error, setError] = useState<string>()
  const { type, reverse } = group
  const load = useCallback(
    (after?: Id) => loadNeighbors(of, { type, reverse }, { after, search }),
    [of, type, reverse, search],
  )
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(() => {
      load().then(
        (first) => {
          if (!isCurrent) return
          setPage(first)
          setError(undefined)
        },
        (reason) => isCurrent && setError(errorText(reason)),
      )
    }, 150)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [load])
  const more = () =>
    void load(page.next).then(
      (next) =>
        setPage({
          ...next,
          nodes: [...page.nodes, ...next.nodes],
          edges: [...page.edges, ...next.edges],
          searched: page.searched + next.searched,
        }),
      (reason) => setError(errorText(reason)),
    )
  return { page, error, more }
}
