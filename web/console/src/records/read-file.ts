import { numberText } from '../model/names.ts'
import { readDelimited } from './clipboard.ts'

/** A table read from a file. */
export interface ImportTable {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Sentences about unusual properties of the file, such as its character set. */
  readonly notes: readonly string[]
  /** Rows with more or fewer cells than the header, with their row numbers in the file. */
  readonly ragged: readonly RaggedRow[]
}

interface RaggedRow {
  /** The row in the file, counted from 1; the header is row 1. */
  readonly number: number
  readonly cells: number
}

/** Reads a CSV or JSON file. Throws an error with a sentence if it is neither. */
export function readTableFile(bytes: Uint8Array, name: string): ImportTable {
  const { text, note } = decodeText(bytes)
  const notes = note === undefined ? [] : [note]
  const table = /^\s*[[{]/.test(text) ? readJson(text) : readCsv(text)
  if (table.header.length === 0) throw new Error(`${name} is empty.`)
  return { ...table, notes: [...notes, ...table.notes] }
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. Other files are read as Windows-1252, in which every byte is a
 * character.
 */
function decodeText(bytes: Uint8Array): { readonly text: string; readonly note?: string } {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined
  if (mark)
    return { text: new TextDecoder(mark).decode(bytes), note: 'The file was read as UTF-16.' }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes)
    const begin = text.replace(/\s+/g, ' ').slice(0, 60)
    return { text, note: `The file is not UTF-8. Read as Windows-1252, it begins: “${begin}”.` }
  }
}

const separators = [',', ';', '\t', '|']

function readCsv(text: string): ImportTable {
  const firstLine = text.slice(0, 10_000).split('\n')[0] ?? ''
  const count = (separator: string) => firstLine.split(separator).length
  const separator = separators.toSorted((a, b) => count(b) - count(a))[0] ?? ','
  const [header = [], ...rows] = readDelimited(text, separator)
  const filled = rows.filter((cells) => cells.some((cell) => cell !== ''))
  const ragged = rows.flatMap((cells, i) =>
    cells.length === header.length || !cells.some((cell) => cell !== '')
      ? []
      : [{ number: i + 2, cells: cells.length }],
  )
  return {
    header: header.map((name) => name.trim()),
    rows: filled.filter((cells) => cells.length === header.length),
    notes: [],
    ragged,
  }
}

function readJson(text: string): ImportTable {
  const parsed = parseJson(text)
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const records = list.filter(
    (one): one is Readonly<Record<string, unknown>> =>
      typeof one === 'object' && one !== null && !Array.isArray(one),
  )
  const header = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const skipped = list.length - records.length
  const notes = skipped > 0 ? [skippedText(skipped)] : []
  const rows = records.map((record) => header.map((name) => jsonText(record[name])))
  return { header, rows, notes, ragged: [] }
}

const skippedText = (n: number): string =>
  n === 1
    ? '1 entry is not a record and is left out.'
    : `${numberText(n)} entries are not records and are left out.`

/** Parses JSON, or a record on each line. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    try {
      return lines.map((line) => JSON.parse(line) as unknown)
    } catch {
      throw new Error(`The file is not valid JSON: ${(cause as Error).message}.`)
    }
  }
}

function jsonText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
