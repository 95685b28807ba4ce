import type { ComponentType } from 'react'
import type { IconName } from '../parts/icon.tsx'

/** A room: one of the main parts of the console, such as Records. Its contract is in `model/console.tsx`. */
export interface RoomEntry {
  /** The first segment of its addresses. */
  readonly id: string
  /** The name in the bar. */
  readonly label: string
  readonly icon: IconName
  /** The letter after G that opens the room. */
  readonly key: string
  /** `admins` hides the room from all other users. */
  readonly audience: 'users' | 'admins'
  /** Whether a divider precedes the room in the bar. */
  readonly startsGroup?: boolean
  readonly load: () => Promise<{ readonly Room: ComponentType }>
}
