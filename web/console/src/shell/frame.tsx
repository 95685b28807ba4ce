import { type ComponentProps, lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { navigate, useLocation } from '../model/router.ts'
import { Empty, Loading } from '../parts/states.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import type { Layer } from './layer.ts'
import type { RoomEntry } from './room.ts'
import { RoomBar } from './room-bar.tsx'
import { useShellKeys } from './shell-keys.ts'
import { StatusLine } from './status-line.tsx'
import { TopBar } from './top-bar.tsx'

const loadLayers = () => import('./layers.tsx')
const Layers = lazy(async () => ({ default: (await loadLayers()).Layers }))

/** The bar, the status line and the open room. */
export function Frame({ rooms }: { rooms: readonly RoomEntry[] }) {
  const { isAdmin } = useConsole()
  const visible = useMemo(
    () => rooms.filter(({ audience }) => audience === 'users' || isAdmin),
    [rooms, isAdmin],
  )
  const [layer, setLayer] = useState<Layer>('none')
  const [hasSide, setSide] = useState(true)
  const { room } = useLocation()
  const current = visible.find(({ id }) => id === room)
  useFirstRoom(room, visible)
  useShellKeys(visible, setLayer, setSide)
  return (
    <div className={hasSide ? 'shell' : 'shell wide'}>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <div className="edge" />
      <TopBar rooms={visible} current={current} openPalette={() => setLayer('palette')} />
      <div className="room">
        {current ? (
          <ErrorBoundary resetKey={current.id}>
            <Suspense fallback={<RoomFallback />}>
              <LazyRoom room={current} />
            </Suspense>
          </ErrorBoundary>
        ) : (
          room !== '' && <UnknownRoom />
        )}
      </div>
      <StatusLine openKeys={() => setLayer('keys')} />
      <RoomBar rooms={visible} current={current} />
      <LazyLayers layer={layer} close={() => setLayer('none')} rooms={visible} />
    </div>
  )
}

/**
 * Renders the layers once one of them was opened. Their code is loaded in advance, because users type into the palette
 * immediately.
 */
function LazyLayers(props: ComponentProps<typeof Layers>) {
  const [wasOpened, setOpened] = useState(false)
  if (props.layer !== 'none' && !wasOpened) setOpened(true)
  useEffect(() => {
    // A failure is shown when a layer is opened.
    loadLayers().catch(() => {})
  }, [])
  return (
    wasOpened && (
      <Suspense>
        <Layers {...props} />
      </Suspense>
    )
  )
}

const lastRoomKey = 'weft-console-room'

/** Stores the open room. If the address names none, opens the stored one. */
function useFirstRoom(room: string, rooms: readonly RoomEntry[]): void {
  useEffect(() => {
    if (room !== '') {
      if (rooms.some(({ id }) => id === room)) localStorage.setItem(lastRoomKey, room)
      return
    }
    const last = rooms.find(({ id }) => id === localStorage.getItem(lastRoomKey)) ?? rooms[0]
    if (last) navigate(`/${last.id}`, { replace: true })
  }, [room, rooms])
}

const components = new Map<string, ReturnType<typeof lazy>>()

/** Loads a room and shows it. */
function LazyRoom({ room: { id, load } }: { room: RoomEntry }) {
  let Component = components.get(id)
  if (!Component) {
    Component = lazy(async () => ({ default: (await load()).Room }))
    components.set(id, Component)
  }
  return <Component />
}

const RoomFallback = () => (
  <main id="main" tabIndex={-1}>
    <Loading />
  </main>
)

const UnknownRoom = () => (
  <main id="main" tabIndex={-1}>
    <Empty title="There is no such page, or you may not see it">
      <p>Choose an entry of the main menu.</p>
    </Empty>
  </main>
)
