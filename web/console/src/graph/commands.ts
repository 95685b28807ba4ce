import type { Id } from '@weft/client'
import type { GraphControls } from '@weft/react/graph-view'
import type { RefObject } from 'react'
import { mayChange, sharedOwner } from '../model/access.ts'
import { notice } from '../model/console.tsx'
import type { KeyBinding } from '../model/keys.ts'
import { navigate } from '../model/router.ts'
import type { Session } from '../model/session.ts'
import type { NodeInfo } from './api.ts'
import type { OpenDialog } from './dialogs.tsx'
import { collapse, remainders, setHidden, shownNodes, togglePin } from './drawing.ts'
import { attempt, expandAll } from './explore.ts'
import { layoutOf } from './layout.ts'
import { nodeName } from './names.ts'
import type { NodeAction } from './panel.tsx'
import { type SavedDrawing, updateDrawing } from './saved.ts'
import { changeDrawing, getDrawing } from './store.ts'

/**
 * The actions of the room. Actions without a parameter concern the selected node or the whole drawing. `bindingsOf` offers only those
 * that the user may use.
 */
export interface Commands {
  readonly selected: NodeInfo | undefined
  /** Whether the user may change the selected node. */
  readonly mayChange: boolean
  /** Whether the user may add links from the selected node. */
  readonly mayLink: boolean
  readonly add: () => void
  readonly expandNode: (id: Id) => void
  /** Keeps the new position of a node that was dragged. */
  readonly moved: (id: Id, to: { readonly x: number; readonly y: number }) => void
  /** Asks for a record, and for a link from the selected node to it. */
  readonly linkTo: () => void
  /** Asks for a new record that is linked from the selected node. */
  readonly addLinked: () => void
  /** Asks for a link between two nodes, after a drag from one to the other. */
  readonly connect: (from: Id, to: Id) => void
  /** Asks for a new record that is linked from a node, after a drag from the node to empty space. */
  readonly drop: (from: Id) => void
  /** Offers the links of a node that are not drawn. */
  readonly more: (id: Id) => void
  readonly pinAll: () => void
  readonly list: () => void
  readonly path: () => void
  readonly save: () => void
  /** Asks for a record to add to the drawing. */
  readonly find: () => void
  readonly fit: () => void
  readonly expand: () => void
  readonly collapse: () => void
  readonly hide: () => void
  readonly pin: () => void
  readonly rename: () => void
  readonly merge: () => void
  readonly remove: () => void
  readonly openRecord: () => void
}

interface CommandOptions {
  readonly selected: NodeInfo | undefined
  readonly session: Session
  readonly open: (dialog: OpenDialog) => void
  readonly controls: RefObject<GraphControls | null>
  readonly isList: boolean
  readonly setAsList: (on: boolean) => void
  readonly saved: SavedDrawing | undefined
}

/** Reports whether the label of a record is one of its values, or empty, and not made of other records as in "Pen × 3". */
const hasOwnName = ({ label, labelType }: NodeInfo): boolean =>
  label === '' || labelType !== undefined

/** Reports whether the user may add links to a record. */
const mayLink = (session: Session, { owner, kind }: NodeInfo): boolean =>
  kind === 'record' && (mayChange(session, owner) || owner === sharedOwner)

/** Reports whether the user may add links to a record, and announces it if not. */
function checkMayLink(session: Session, node: NodeInfo): boolean {
  const isAllowed = mayLink(session, node)
  if (!isAllowed) notice.set(`You can see ${nodeName(node)} but not add links to it.`)
  return isAllowed
}

/** Returns the commands for a selection. */
export function commandsOf(options: CommandOptions): Commands {
  const { selected, session, open, controls, saved } = options
  const nodeOf = (id: Id) => getDrawing().drawing.nodes.get(id)
  const onSelected = (work: (node: NodeInfo) => void) => () => {
    if (selected) work(selected)
  }
  return {
    selected,
    mayChange: selected?.kind === 'record' && mayChange(session, selected.owner),
    mayLink: selected !== undefined && mayLink(session, selected),
    add: () => open({ kind: 'add' }),
    linkTo: onSelected((from) => open({ kind: 'link', from })),
    addLinked: onSelected((from) => open({ kind: 'add', from })),
    expandNode: (id) => void expandAll(id),
    moved: (id, to) => moveNode(id, to, saved),
    connect(from, to) {
      const [source, target] = [nodeOf(from), nodeOf(to)]
      if (source && target && checkMayLink(session, source))
        open({ kind: 'connect', from: source, to: target })
    },
    drop(from) {
      const source = nodeOf(from)
      if (source && checkMayLink(session, source)) open({ kind: 'add', from: source })
    },
    more(id) {
      const groups = remainders(getDrawing().drawing).filter(({ of }) => of === id)
      const largest = groups.toSorted((a, b) => b.group.count - a.group.count)[0]
      if (largest) open({ kind: 'pick', of: id, group: largest.group })
    },
    pinAll: () => pinAll(),
    list: () => options.setAsList(!options.isList),
    path: onSelected((from) => open({ kind: 'path', from })),
    save: () => open({ kind: 'save' }),
    find: () => open({ kind: 'find' }),
    fit: () => controls.current?.fitView(),
    expand: onSelected(({ id }) => void expandAll(id)),
    collapse: onSelected((node) =>
      changeDrawing(`Collapsed ${nodeName(node)}`, collapse(getDrawing().drawing, node.id)),
    ),
    hide: onSelected((node) =>
      changeDrawing(`Hid ${nodeName(node)}`, setHidden(getDrawing().drawing, [node.id], true)),
    ),
    pin: onSelected((node) => togglePinned(node, controls.current)),
    rename: onSelected((node) => open({ kind: 'rename', node })),
    merge: onSelected((node) => open({ kind: 'merge', node })),
    remove: onSelected(
      (node) => void attempt(async () => (await import('./changes.ts')).removeRecord(node)),
    ),
    openRecord: onSelected((node) => navigate(`/records/${node.type}/${node.id}`)),
  }
}

/** Moves a node that was dragged, pins it there, and saves the position in a saved drawing. */
function moveNode(
  id: Id,
  to: { readonly x: number; readonly y: number },
  saved: SavedDrawing | undefined,
): void {
  const { drawing, places } = getDrawing()
  const node = drawing.nodes.get(id)
  if (!node) return
  const next = new Map(places).set(id, to)
  const pinned = drawing.pinned.has(id) ? drawing : togglePin(drawing, id)
  changeDrawing(`Moved ${nodeName(node)}`, pinned, next)
  if (saved) void attempt(() => updateDrawing(saved.id, layoutOf(pinned, next, saved.layout)))
}

function togglePinned(node: NodeInfo, controls: GraphControls | null): void {
  const { drawing, places } = getDrawing()
  const isPinned = drawing.pinned.has(node.id)
  const at = controls?.positions().get(node.id)
  const next = new Map(places)
  if (at && !isPinned) next.set(node.id, at)
  changeDrawing(
    `${isPinned ? 'Unpinned' : 'Pinned'} ${nodeName(node)}`,
    togglePin(drawing, node.id),
    next,
  )
}

function pinAll(): void {
  const { drawing } = getDrawing()
  const ids = shownNodes(drawing).map(({ id }) => id)
  const isAll = ids.every((id) => drawing.pinned.has(id))
  changeDrawing(isAll ? 'Unpinned all' : 'Pinned all', {
    ...drawing,
    pinned: new Set(isAll ? [] : ids),
  })
}

/** Returns the keys of the room. */
export function bindingsOf(commands: Commands): readonly KeyBinding[] {
  const always: readonly KeyBinding[] = [
    { keys: 'l', label: 'As a list', run: commands.list },
    { keys: '0', label: 'Fit the drawing', run: commands.fit },
    { keys: 'n', label: 'Add a record', run: commands.add },
    { keys: '/', label: 'Find a record to draw', run: commands.find },
    { keys: 'mod+s', label: 'Save the drawing', run: commands.save },
  ]
  if (!commands.selected) return always
  const onNode: readonly KeyBinding[] = [
    { keys: 'e', label: 'Expand', run: commands.expand },
    { keys: 'c', label: 'Collapse its links', run: commands.collapse },
    { keys: 'h', label: 'Hide from the drawing', run: commands.hide },
    { keys: '.', label: 'Pin here', run: commands.pin },
    { keys: 'p', label: 'Path to another record', run: commands.path },
    { keys: 'shift+enter', label: 'Open the record', run: commands.openRecord },
  ]
  const onLinkable: readonly KeyBinding[] = [
    { keys: 'k', label: 'Link to …', run: commands.linkTo },
    { keys: 'shift+n', label: 'Add a linked record', run: commands.addLinked },
  ]
  const onOwn: readonly KeyBinding[] = [
    { keys: 'm', label: 'Merge with …', run: commands.merge },
    { keys: 'mod+backspace', label: 'Delete record', run: commands.remove },
  ]
  const onNamed: readonly KeyBinding[] = [{ keys: 'f2', label: 'Rename', run: commands.rename }]
  return [
    ...always,
    ...onNode,
    ...(commands.mayLink ? onLinkable : []),
    ...(commands.mayChange && hasOwnName(commands.selected) ? onNamed : []),
    ...(commands.mayChange ? onOwn : []),
  ]
}

/** Returns the list of actions in the panel. */
export const nodeActionsOf = (commands: Commands): readonly NodeAction[] =>
  bindingsOf(commands)
    .filter(({ keys }) => panelKeys.has(keys))
    .map(({ keys, label, run }) => ({ keys, label, run: () => run(new KeyboardEvent('keydown')) }))

const panelKeys = new Set(['e', 'c', 'h', '.', 'p', 'k', 'shift+n', 'f2', 'm', 'mod+backspace'])
