import { isIndex } from '../composition/read.ts'
import type { FieldData } from './fields.ts'
import { isText, isTime, timeOf } from './values.ts'

/** Returns the sentence that describes a violation to the user. */
export function sentence(field: FieldData | undefined, rule: string, path: string): string {
  return `${label(path)} ${phrase(field, rule)}.`
}

function phrase(field: FieldData | undefined, rule: string): string {
  const { kind = 'text', min, max, format = '', choices = [], targets = [] } = field ?? {}
  const ofField = { kind }
  switch (rule) {
    case 'required':
      return 'is required'
    case 'unknown':
      return 'is not a field'
    case 'choices':
      return `must be one of: ${choices.join(', ')}`
    case 'targets':
      return `must be a record of: ${targets.join(', ')}`
    case 'unique':
      return 'is taken: another record has this value'
    case 'one':
      return 'must be a single record'
    case 'self':
      return 'must be another record'
    case 'pattern':
      return 'does not have the expected form'
    case 'format':
      return `must be ${formatPhrases[format]}`
    case 'min':
      return `must ${limitPhrase(ofField, isTime(ofField) ? 'on or after' : 'at least', min)}`
    case 'max':
      if (max === undefined) return 'is too long'
      return `must ${limitPhrase(ofField, isTime(ofField) ? 'on or before' : 'at most', max)}`
    default:
      return `must be ${kindPhrases[kind]}`
  }
}

/** Returns the predicate of a limit, such as "have at least 3 characters". */
function limitPhrase(field: FieldData, amount: string, limit: unknown): string {
  if (isTime(field)) return `be ${amount} ${timeOf(field, limit)}`
  const unit = isText(field) ? 'character' : { list: 'item', file: 'byte' }[field.kind as string]
  if (!unit) return `be ${amount} ${limit}`
  return `have ${amount} ${limit} ${unit}${limit === 1 ? '' : 's'}`
}

/** Returns a path in words: `homeAddress.zipCode` is "Home address, zip code", and `tags.0` is "Tags, item 1". */
function label(path: string): string {
  const words = path
    .split('.')
    .map((name) =>
      isIndex(name)
        ? `item ${Number(name) + 1}`
        : name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    )
    .join(', ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const kindPhrases: Readonly<Record<string, string>> = {
  text: 'text',
  longText: 'text',
  choice: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2026-02-28',
  dateTime: 'a time such as 2026-02-28T09:30:00Z',
  json: 'JSON',
  file: 'a file',
  list: 'a list',
  record: 'a record',
  one: 'a record',
  many: 'records',
}

const formatPhrases: Readonly<Record<string, string>> = {
  number: 'a number',
  text: 'text',
  textOnly: 'letters and spaces only',
  email: 'an e-mail address',
  document: 'the name of a document',
  sound: 'the name of a sound file',
  image: 'the name of an image file',
  video: 'the name of a video file',
  url: 'a web address',
  date: 'a date such as 2026-02-28',
  time: 'a time such as 09:30',
  password: 'a password of at least 6 characters',
  ipaddress: 'an IP address',
  uuid: 'a UUID',
}
