import { Dialog } from '../parts/dialog.tsx'
import { ChangeList } from './change-list.tsx'
import { KeysSheet } from './keys-sheet.tsx'
import type { Layer } from './layer.ts'
import { Palette } from './palette.tsx'
import type { RoomEntry } from './room.ts'

/** The palette, the sheet of keys and the list of changes. At most one of them is open. */
export function Layers({
  layer,
  close,
  rooms,
}: {
  readonly layer: Layer
  readonly close: () => void
  readonly rooms: readonly RoomEntry[]
}) {
  return (
    <>
      <Dialog
        title="Search pages and actions"
        isOpen={layer === 'palette'}
        close={close}
        className="palette"
        isBare
      >
        <Palette close={close} rooms={rooms} />
      </Dialog>
      <Dialog title="Keys" isOpen={layer === 'keys'} close={close}>
        <KeysSheet />
      </Dialog>
      <Dialog
        title="Changes in this tab"
        isOpen={layer === 'changes'}
        close={close}
        className="narrow"
      >
        <ChangeList />
      </Dialog>
    </>
  )
}
