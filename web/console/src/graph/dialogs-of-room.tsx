import type { Positions } from '@weft/react/graph-view'
import type { ComponentProps } from 'react'
import { client } from '../model/client.ts'
import { undo } from '../model/console.tsx'
import { navigate } from '../model/router.ts'
import { Dialog } from '../parts/dialog.tsx'
import { maxNodes } from './api.ts'
import {
  AddDialog,
  ConnectDialog,
  MergeDialog,
  type OpenDialog,
  RenameDialog,
  SaveDialog,
} from './dialogs.tsx'
import { addNodes, type Drawing } from './drawing.ts'
import { FindRecord } from './find-record.tsx'
import { layoutOf } from './layout.ts'
import { nodeName } from './names.ts'
import { Picker } from './picker.tsx'
import { saveDrawing } from './saved.ts'
import { changeDrawing, select } from './store.ts'

/** Renders the dialog that is open. */
export function Dialogs({
  dialog,
  open,
  close,
  drawing,
  positions,
}: {
  readonly dialog: OpenDialog
  readonly open: (dialog: OpenDialog) => void
  readonly close: () => void
  readonly drawing: Drawing
  readonly positions: () => Positions
}) {
  switch (dialog.kind) {
    case 'add':
      return <AddDialog from={dialog.from} drawing={drawing} close={close} />
    case 'link':
      return (
        <FindDialog
          title={`Link ${nodeName(dialog.from)} to`}
          close={close}
          verb="Link to"
          choose={(to) => open({ kind: 'connect', from: dialog.from, to })}
        />
      )
    case 'connect':
      return <ConnectDialog from={dialog.from} to={dialog.to} drawing={drawing} close={close} />
    case 'rename':
      return <RenameDialog node={dialog.node} close={close} />
    case 'merge':
      return <MergeDialog node={dialog.node} close={close} />
    case 'pick':
      return <Picker of={dialog.of} group={dialog.group} close={close} />
    case 'save':
      return <SaveDialog save={(name) => save(name, drawing, positions())} close={close} />
    case 'path':
      return (
        <FindDialog
          title={`Path from ${nodeName(dialog.from)} to`}
          close={close}
          except={dialog.from.id}
          verb="Path to"
          choose={({ id }) => {
            close()
            navigate(`/graph/path/${dialog.from.id}/${id}`)
          }}
        />
      )
    case 'find':
      return (
        <FindDialog
          title="Find a record to draw"
          close={close}
          verb="Draw"
          choose={(node) => {
            close()
            changeDrawing(
              `Added ${nodeName(node)}`,
              addNodes(drawing, { nodes: [node], edges: [] }),
            )
            select(node.id)
          }}
        />
      )
  }
}

/** Asks for a record, in a dialog. */
function FindDialog({
  title,
  close,
  ...find
}: { readonly title: string; readonly close: () => void } & ComponentProps<typeof FindRecord>) {
  return (
    <Dialog title={title} isOpen close={close} className="narrow">
      <FindRecord {...find} />
    </Dialog>
  )
}

/** Saves a drawing as a record, and opens it. */
async function save(name: string, drawing: Drawing, positions: Positions): Promise<void> {
  if (drawing.nodes.size > maxNodes)
    throw new Error(`The drawing has ${drawing.nodes.size} nodes; up to ${maxNodes} can be saved.`)
  const layout = layoutOf(drawing, positions)
  let id = saveDrawing(name, layout)
  undo.push({
    label: `Saved the drawing ${name}`,
    undo: () => void client.remove(id),
    redo: () => {
      id = saveDrawing(name, layout)
    },
  })
  navigate(`/graph/d/${encodeURIComponent(name)}`)
}
