/** A session that ended while the console was open. */
export interface EndedSession {
  readonly email: string
  /** The number of changes that are stored on this device. They are sent when the same user signs in again. */
  readonly waiting: number
}
