import type { Session } from './session.ts'

/** The owner of shared records: all users may add links to these, and only admins change them. */
export const sharedOwner = 999
/** The owner of records that come with the server, such as its pages. */
export const systemOwner = 2

/** Reports whether the user may change a record of an owner. The server has the same rule in `internal/access`. */
export const mayChange = (session: Session, owner: number): boolean =>
  session.isAdmin || owner === session.userId
