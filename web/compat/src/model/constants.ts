/** Output formats of queries and listeners. */
export const NORMAL = 1
export const DATAID = 2
export const JUSTDATA = 3
export const DATAIDDATE = 4
export const RAW = 5
export const ALLID = 6
export const LISTNORMAL = 7
export const DATAV2 = 8

/** Access numbers of records. */
export const ADMIN = 3
export const PRIVATE = 4
export const PUBLIC = 5

/** The user of guests, who also owns shared records. */
export const anonymousUser = 999
/** The session number until the server has assigned one. */
export const defaultSession = 998
/** Order numbers of connections: inside a composition, and of links. */
export const orderInternal = 1
export const orderLink = 1000

export const validImageFormats = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']
export const validDocumentFormats = [
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'text/plain',
  'application/pdf',
]
