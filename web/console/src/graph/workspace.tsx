import type { Id } from '@weft/client'
import type { GraphControls, GraphData, Positions } from '@weft/react/graph-view'
import type { RefObject } from 'react'
import type { ConsoleType } from '../model/types.ts'
import { Empty, Failed, isNotFound, Loading } from '../parts/states.tsx'
import type { LinkGroup, NodeInfo } from './api.ts'
import { type Commands, nodeActionsOf } from './commands.ts'
import type { Drawing } from './drawing.ts'
import { DrawingList } from './list.tsx'
import { NoSelection, Panel } from './panel.tsx'
import type { SavedDrawing } from './saved.ts'
import { Stage } from './stage.tsx'
import { Start } from './start.tsx'
import { select } from './store.ts'
import type { Load } from './use-address.ts'

interface WorkspaceProps {
  readonly load: Load
  readonly drawing: Drawing
  readonly graph: GraphData
  readonly places: Positions | undefined
  readonly selected: NodeInfo | undefined
  readonly controls: RefObject<GraphControls | null>
  readonly commands: Commands & { readonly isList: boolean }
  readonly types: readonly ConsoleType[]
  readonly saved: readonly SavedDrawing[]
  readonly openPicker: (of: Id, group: LinkGroup) => void
}

/**
 * Shows the drawing, or a list of its nodes, next to the panel of the selected node. If nothing is drawn, it shows the start
 * page, or a message while the drawing loads. If loading fails, it shows the error.
 */
export function Workspace(props: WorkspaceProps) {
  const { load, drawing } = props
  if (load.status === 'error' && isNotFound(load.error))
    return (
      <Empty title="There is no such record, or you may not see it">
        <p>It may have been deleted.</p>
      </Empty>
    )
  if (load.status === 'error') return <Failed error={load.error} retry={load.retry} />
  const isEmpty = drawing.nodes.size === 0
  return (
    <>
      {load.status === 'none' && (
        <p className="note a" role="status">
          {load.text}
        </p>
      )}
      {isEmpty && load.status === 'loading' && <Loading>Still loading the links.</Loading>}
      {isEmpty && load.status !== 'loading' && <Start saved={props.saved} />}
      {!isEmpty && <Drawn {...props} />}
    </>
  )
}

function Drawn(props: WorkspaceProps) {
  const { drawing, graph, places, selected, controls, commands, types } = props
  return (
    <div className="graph-room">
      {commands.isList ? (
        <DrawingList drawing={drawing} types={types} selected={selected?.id} select={select} />
      ) : (
        <Stage
          {...{ drawing, graph, places, selected, controls }}
          onSelect={select}
          onOpen={commands.expandNode}
          onMove={commands.moved}
          onConnect={commands.connect}
          onDrop={commands.drop}
          onBadge={commands.more}
          pinAll={commands.pinAll}
        />
      )}
      {selected ? (
        <Panel
          node={selected}
          {...{ drawing, types }}
          actions={nodeActionsOf(commands)}
          openPicker={props.openPicker}
        />
      ) : (
        <NoSelection />
      )}
    </div>
  )
}
