import { lazy, Suspense, useEffect } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Loading } from '../parts/states.tsx'
import type { Layer } from './layer.ts'
import type { RoomEntry } from './room.ts'

// A layer is loaded when it is opened for the first time. The palette is loaded before, because users immediately type into it.
const loadPalette = () => import('./palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))
const KeysSheet = lazy(async () => ({ default: (await import('./keys-sheet.tsx')).KeysSheet }))
const ChangeList = lazy(async () => ({ default: (await import('./change-list.tsx')).ChangeList }))

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
  useEffect(() => {
    void loadPalette()
  }, [])
  return (
    <>
      <Dialog
        title="Search pages and actions"
        isOpen={layer === 'palette'}
        close={close}
        className="palette"
        isBare
      >
        <Suspense fallback={<Loading />}>
          <Palette close={close} rooms={rooms} />
        </Suspense>
      </Dialog>
      <Dialog title="Keys" isOpen={layer === 'keys'} close={close}>
        <Suspense fallback={<Loading />}>
          <KeysSheet />
        </Suspense>
      </Dialog>
      <Dialog
        title="Changes in this tab"
        isOpen={layer === 'changes'}
        close={close}
        className="narrow"
      >
        <Suspense fallback={<Loading />}>
          <ChangeList />
        </Suspense>
      </Dialog>
    </>
  )
}
