import type { Id } from '@weft/client'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { GraphData, GraphNode, KindNames, Link } from './graph-data.ts'

interface NavigatorProps {
  readonly graph: GraphData
  readonly links: ReadonlyMap<Id, readonly Link[]>
  readonly selected: GraphNode | undefined
  readonly kindNames: KindNames
  readonly onSelect: (id: Id) => void
}

/**
 * Renders the graph as text: the selected concept, a button for each of its connections, and a list of all concepts.
 */
export function Navigator({ graph, links, selected, kindNames, onSelect }: NavigatorProps) {
  const current = useRef<HTMLDivElement>(null)
  const visited = useRef<Id[]>([])
  const goTo = (id: Id) => {
    if (selected) visited.current.push(selected.id)
    onSelect(id)
    current.current?.focus({ preventScroll: true })
  }
  const goBack = () => {
    const previous = visited.current.pop()
    if (previous !== undefined) onSelect(previous)
    current.current?.focus({ preventScroll: true })
  }
  const selectedLinks = selected ? (links.get(selected.id) ?? []) : []
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys repeat what its buttons do */}
      <div className="weft-graph-navigator" onKeyDown={(event) => handleArrowKey(event, goBack)}>
        <div ref={current} tabIndex={-1} className="weft-graph-here" aria-live="polite">
          {selected ? (
            <SelectedConcept node={selected} linkCount={selectedLinks.length} />
          ) : (
            <p>Select a concept.</p>
          )}
        </div>
        {selected && <LinkList key={selected.id} links={selectedLinks} goTo={goTo} />}
      </div>
      <ConceptList nodes={graph.nodes} kindNames={kindNames} goTo={goTo} />
    </>
  )
}

function SelectedConcept({ node, linkCount }: { node: GraphNode; linkCount: number }) {
  return (
    <p>
      <strong>{node.label}</strong>{' '}
      <span className="weft-graph-quiet">
        {linkCount === 1 ? '1 connection' : `${linkCount} connections`}
      </span>
    </p>
  )
}

/** Number of entries that a list shows initially, and that "Show more" adds. */
const listPageSize = 50

function LinkList({ links, goTo }: { links: readonly Link[]; goTo: (id: Id) => void }) {
  const [shown, setShown] = useState(listPageSize)
  return (
    <>
      <ul className="weft-graph-list">
        {links.slice(0, shown).map((link) => (
          <li key={`${link.edge.label} ${link.isOutgoing} ${link.neighbor.id}`}>
            <button type="button" onClick={() => goTo(link.neighbor.id)}>
              <LinkText link={link} />
            </button>
          </li>
        ))}
      </ul>
      <ShowMore total={links.length} shown={shown} setShown={setShown} />
    </>
  )
}

/** Renders a connection in its own direction: "label → neighbour" or "neighbour label → this". */
function LinkText({ link: { edge, isOutgoing, neighbor } }: { link: Link }) {
  const label = (
    <span className="weft-graph-quiet">
      {edge.label} <span aria-hidden="true">→</span> {isOutgoing ? '' : 'this'}
    </span>
  )
  return isOutgoing ? (
    <>
      {label} {neighbor.label}
    </>
  ) : (
    <>
      {neighbor.label} {label}
    </>
  )
}

interface ConceptListProps {
  readonly nodes: readonly GraphNode[]
  readonly kindNames: KindNames
  readonly goTo: (id: Id) => void
}

function ConceptList({ nodes, kindNames, goTo }: ConceptListProps) {
  const [isOpen, setOpen] = useState(false)
  const [searchText, setSearchText] = useState('')
  const [shown, setShown] = useState(listPageSize)
  const wanted = searchText.trim().toLowerCase()
  const found = isOpen ? nodes.filter(({ label }) => label.toLowerCase().includes(wanted)) : []
  return (
    <details className="weft-graph-all" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{nodes.length === 1 ? 'The only concept' : `All ${nodes.length} concepts`}</summary>
      {nodes.length > 10 && (
        <input
          type="search"
          aria-label="Find in this graph"
          placeholder="Find in this graph"
          value={searchText}
          onChange={(event) => setSearchText(event.currentTarget.value)}
        />
      )}
      <ul className="weft-graph-list">
        {found.slice(0, shown).map(({ id, label, kind }) => (
          <li key={id}>
            <button type="button" onClick={() => goTo(id)}>
              {label} <span className="weft-graph-quiet">{kindNames[kind]}</span>
            </button>
          </li>
        ))}
      </ul>
      <ShowMore total={found.length} shown={shown} setShown={setShown} />
    </details>
  )
}

interface ShowMoreProps {
  readonly total: number
  readonly shown: number
  readonly setShown: (count: number) => void
}

function ShowMore({ total, shown, setShown }: ShowMoreProps) {
  if (total <= shown) return null
  return (
    <button
      type="button"
      className="weft-graph-more"
      onClick={() => setShown(shown + listPageSize)}
    >
      Show more ({total - shown} left)
    </button>
  )
}

/**
 * Handles the arrow keys. Up and down move the focus between the buttons, right follows the focused button, and left
 * returns to the previous concept.
 */
function handleArrowKey(event: KeyboardEvent<HTMLElement>, goBack: () => void): void {
  const buttons = Array.from(event.currentTarget.querySelectorAll('button'))
  const focused = buttons.indexOf(document.activeElement as HTMLButtonElement)
  if (event.key === 'ArrowDown') buttons[Math.min(focused + 1, buttons.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') buttons[Math.max(focused - 1, 0)]?.focus()
  else if (event.key === 'ArrowRight') buttons[focused]?.click()
  else if (event.key === 'ArrowLeft') goBack()
  else return
  event.preventDefault()
}
