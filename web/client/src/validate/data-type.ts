/** A format that a field may require. */
export type DataType = (typeof dataTypes)[number]

/** All data types, from the most to the least specific. */
export const dataTypes = [
  ...(['uuid', 'ipaddress', 'email', 'date', 'time', 'number'] as const),
  ...(['document', 'image', 'sound', 'video', 'url', 'textOnly', 'text', 'password'] as const),
] as const

/** Reports whether `text` has the data type. An unknown data type matches any text. */
export function matchesDataType(dataType: string, text: string): boolean {
  return Object.hasOwn(dataTypeTests, dataType) ? dataTypeTests[dataType as DataType](text) : true
}

/** Returns the most specific data type that `text` has. A password is detected as `text`. */
export function detectDataType(text: string): DataType {
  return dataTypes.find((dataType) => dataTypeTests[dataType](text)) ?? 'text'
}

const matchPattern = (pattern: RegExp) => (text: string) => pattern.test(text)

/** Matches file names with one of the extensions. Case is ignored for ASCII letters only. */
const hasExtension = (endings: string) => matchPattern(RegExp(`\\.(${endings})$`, 'i'))

const octet = '(25[0-5]|2[0-4]\\d|[01]?\\d?\\d)'

/**
 * The tests of the data types. In each pattern the next character decides the branch, so that no input, however long or
 * hostile, causes backtracking.
 */
const dataTypeTests: Readonly<Record<DataType, (text: string) => boolean>> = {
  uuid: matchPattern(/^[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/),
  ipaddress: matchPattern(
    RegExp(`^((${octet}\\.){3}${octet}|([\\da-fA-F]{1,4}:){7}[\\da-fA-F]{1,4})$`),
  ),
  email: isEmail,
  date: matchPattern(/^\d{4}-\d{2}-\d{2}$/),
  time: matchPattern(/^([01]\d|2[0-3]):[0-5]\d$/),
  number: matchPattern(/^\d+(\.\d+)?$/),
  document: hasExtension('pdf|docx?|pptx?|xlsx?'),
  image: hasExtension('jpe?g|png|gif|bmp|svg|webp'),
  sound: hasExtension('mp3|wav|ogg|flac'),
  video: hasExtension('mp4|avi|mov|mkv|flv|webm'),
  url: isUrl,
  textOnly: matchPattern(/^[A-Za-z\s]+$/),
  text: () => true,
  password: matchPattern(/^.{6,}$/),
}

function isEmail(text: string): boolean {
  const dot = text.lastIndexOf('.')
  return (
    /^[\w.%+-]+@[A-Za-z\d.-]+$/.test(text.slice(0, dot)) &&
    /^[A-Za-z]{2,}$/.test(text.slice(dot + 1))
  )
}

/** The host must contain a dot, other than its first character, that is followed by two letters or dots. */
function isUrl(text: string): boolean {
  const address = text.replace(/^https?:\/\//, '')
  const host = /^[\da-z.-]*/.exec(address)?.[0] ?? ''
  return /.\.[a-z.]{2}/.test(host) && /^[/\w .-]*$/.test(address)
}
