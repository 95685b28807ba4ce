/** How grave an entry is; `ROUTE` and `USER_EVENT` say what somebody did, and are kept whatever the level. */
export type Level = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'ROUTE' | 'USER_EVENT'

export const gravity: Readonly<Record<Level, number>> = {
  DEBUG: 0,
  INFO: 1,
  WARNING: 2,
  ERROR: 3,
  ROUTE: 4,
  USER_EVENT: 4,
}
