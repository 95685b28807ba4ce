/** A shape of text that a field may ask for. */
export type DataType = (typeof dataTypes)[number]

/** From the narrowest to the widest. */
export const dataTypes = [
  ...(['uuid', 'ipaddress', 'email', 'date', 'time', 'number'] as const),
  ...(['document', 'image', 'sound', 'video', 'url', 'textOnly', 'text', 'password'] as const),
] as const

/** Says whether a text is of the data type. One that is not known accepts everything. */
export function accepts(dataType: string, text: string): boolean {
  return Object.hasOwn(tests, dataType) ? tests[dataType as DataType](text) : true
}

/** The most specific data type of a text. A password looks like any other text. */
export function detect(text: string): DataType {
  return dataTypes.find((dataType) => tests[dataType](text)) ?? 'text'
}

const matches = (pattern: RegExp) => (text: string) => pattern.test(text)

/** Compares without regard to the case of ASCII letters, and of no others. */
const endsIn = (endings: string) => matches(RegExp(`\\.(${endings})$`, 'i'))

const octet = '(25[0-5]|2[0-4]\\d|[01]?\\d?\\d)'

/**
 * A text is read once: in each pattern the next letter alone decides how it goes on, so that there is
 * nothing to go back to and try again, however long and hostile the text.
 */
const tests: Readonly<Record<DataType, (text: string) => boolean>> = {
  uuid: matches(/^[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/),
  ipaddress: matches(RegExp(`^((${octet}\\.){3}${octet}|([\\da-fA-F]{1,4}:){7}[\\da-fA-F]{1,4})$`)),
  email,
  date: matches(/^\d{4}-\d{2}-\d{2}$/),
  time: matches(/^([01]\d|2[0-3]):[0-5]\d$/),
  number: matches(/^\d+(\.\d+)?$/),
  document: endsIn('pdf|docx?|pptx?|xlsx?'),
  image: endsIn('jpe?g|png|gif|bmp|svg|webp'),
  sound: endsIn('mp3|wav|ogg|flac'),
  video: endsIn('mp4|avi|mov|mkv|flv|webm'),
  url,
  textOnly: matches(/^[A-Za-z\s]+$/),
  text: () => true,
  password: matches(/^.{6,}$/),
}

function email(text: string): boolean {
  const dot = text.lastIndexOf('.')
  return (
    /^[\w.%+-]+@[A-Za-z\d.-]+$/.test(text.slice(0, dot)) &&
    /^[A-Za-z]{2,}$/.test(text.slice(dot + 1))
  )
}

/** A host has a dot with two letters or dots behind it. */
function url(text: string): boolean {
  const address = text.replace(/^https?:\/\//, '')
  const host = /^[\da-z.-]*/.exec(address)?.[0] ?? ''
  return /.\.[a-z.]{2}/.test(host) && /^[/\w .-]*$/.test(address)
}
