import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { Menu } from '../parts/menu.tsx'
import type { RoomEntry } from './room.ts'

/** The number of rooms in the bar on phones. The others are in the menu “More”. */
const shownRooms = 4

/** The bar of rooms at the bottom of the screen on phones. */
export function RoomBar({
  rooms,
  current,
}: {
  readonly rooms: readonly RoomEntry[]
  readonly current: RoomEntry | undefined
}) {
  const shown = rooms.slice(0, rooms.length > shownRooms + 1 ? shownRooms : shownRooms + 1)
  const others = rooms.slice(shown.length)
  const hidden = others.find((room) => room === current)
  return (
    <nav className="rooms-phone" aria-label="Rooms">
      {shown.map((room) => (
        <RoomLink key={room.id} room={room} isCurrent={room === current} />
      ))}
      {others.length > 0 && (
        <Menu
          className={hidden ? 'room-link current' : 'room-link'}
          label={hidden ? `More rooms, ${hidden.label} is open` : 'More rooms'}
          button={
            <>
              <Icon name="more" />
              More
            </>
          }
        >
          {others.map((room) => (
            <RoomLink key={room.id} room={room} isCurrent={room === current} />
          ))}
        </Menu>
      )}
    </nav>
  )
}

function RoomLink({ room, isCurrent }: { room: RoomEntry; isCurrent: boolean }) {
  return (
    <Link
      className="room-link"
      to={`/${room.id}`}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}
    >
      <Icon name={room.icon} />
      {room.label}
    </Link>
  )
}
