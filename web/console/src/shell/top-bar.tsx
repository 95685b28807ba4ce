import { Fragment } from 'react'
import { showKeys } from '../model/keys.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { Brand } from './brand.tsx'
import type { RoomEntry } from './room.ts'
import { UserMenu } from './user-menu.tsx'

/** The bar at the top: the rooms, the palette and the user. */
export function TopBar({
  rooms,
  current,
  openPalette,
}: {
  readonly rooms: readonly RoomEntry[]
  readonly current: RoomEntry | undefined
  readonly openPalette: () => void
}) {
  return (
    <header className="top">
      <Link className="brand" to="/">
        <Brand />
        <span>Weft</span> <small className="desk">{location.host}</small>
      </Link>
      <nav className="rooms" aria-label="Rooms">
        {rooms.map(({ id, label, startsGroup }) => (
          <Fragment key={id}>
            {startsGroup && <span className="gap" />}
            <Link to={`/${id}`} aria-current={id === current?.id ? 'page' : undefined}>
              {label}
            </Link>
          </Fragment>
        ))}
      </nav>
      <div className="tools">
        <button type="button" className="find" onClick={openPalette}>
          <Icon name="search" />
          <span>Search pages and actions</span>
          <kbd>{showKeys('mod+k')}</kbd>
        </button>
        <UserMenu />
      </div>
    </header>
  )
}
