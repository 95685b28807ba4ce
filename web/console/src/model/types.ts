import { onProfileChange } from '@weft/client/account'
import { useSyncExternalStore } from 'react'
import { client } from './client.ts'
import { namesOf, type TypeNames } from './names.ts'
import { errorText, request } from './request.ts'
import { currentSession } from './session.ts'

/**
 * The mark of a type: a short line. `dye` is the class name of its colour, `u` for neutral; `pattern` is the class name of
 * its dashes.
 */
export interface ThreadStyle {
  readonly dye: 'a' | 'b' | 'c' | 'd' | 'u'
  readonly pattern: '' | 'dash' | 'twin'
}

/** A type with instances that the user may see, or a declared type. */
export interface ConsoleType {
  /** The id of the type concept; 0 for a declared type without records. */
  readonly id: number
  /** The raw name: `the_order`. */
  readonly name: string
  readonly names: TypeNames
  /** The number of instances that this user sees. */
  readonly count: number
  /** False if `count` is an estimate. Types with more than 20,000 instances are not counted exactly. */
  readonly counted: boolean
  /** `record` for records, `value` for values that records share, such as names. */
  readonly kind: 'record' | 'value'
  readonly mark: ThreadStyle
  /** The declaration in the schema; undefined for types that are only found in the data. */
  readonly declared: DeclaredType | undefined
}

/** A type of the schema, as `GET /api/v1/schema` returns it. */
export interface DeclaredType {
  readonly fields: Readonly<Record<string, DeclaredField>>
}

/** A field of the schema: its kind, and the rules that its kind has. */
export interface DeclaredField {
  readonly kind: string
  readonly required?: boolean
  readonly unique?: boolean
  readonly choices?: readonly string[]
  readonly targets?: readonly string[]
  readonly inverse?: string
  readonly of?: DeclaredField
  readonly fields?: Readonly<Record<string, DeclaredField>>
  readonly [rule: string]: unknown
}

/** The list of types. Types of an earlier load stay visible during a reload and after a failed one. */
export interface TypeList {
  readonly status: 'loading' | 'ready' | 'error'
  readonly types: readonly ConsoleType[]
  /** Why the last load failed, as a sentence; undefined if it succeeded. */
  readonly error: string | undefined
}

let state: TypeList = { status: 'loading', types: [], error: undefined }
const listeners = new Set<() => void>()
let isFollowing = false
/** The id of the user whose types are in the list. */
let loadedFor: number | undefined
/** The load in progress. It is repeated once if `reloadTypes` is called during the load. */
let loading: Promise<void> | undefined
let isStale = false

/**
 * Returns the types with their counts. The list is loaded at the first use, and again after changes in this tab are on
 * the server.
 */
export function useTypes(): TypeList {
  return useSyncExternalStore(subscribe, () => state)
}

/** Loads the list of types again. Concurrent calls share one request. */
export function reloadTypes(): Promise<void> {
  isStale = true
  loading ??= loadUntilFresh().finally(() => {
    loading = undefined
  })
  return loading
}

/** Empties the list when another user signs in, and loads that of this user. */
function clearForOtherUser(): void {
  const userId = currentSession()?.userId
  if (userId === undefined || userId === loadedFor) return
  loadedFor = userId
  set({ status: 'loading', types: [], error: undefined })
  void reloadTypes()
}

async function loadUntilFresh(): Promise<void> {
  while (isStale) {
    isStale = false
    await load()
  }
}

async function load(): Promise<void> {
  try {
    const [found, schema] = await Promise.all([
      request<{ types: readonly FoundType[] }>('/api/v1/types'),
      request<{ types: Readonly<Record<string, DeclaredType>> }>('/api/v1/schema'),
    ])
    set({ status: 'ready', types: combine(found.types, schema.types), error: undefined })
  } catch (error) {
    set({ ...state, status: 'error', error: errorText(error) })
  }
}

function set(next: TypeList): void {
  state = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (!isFollowing) follow()
  isFollowing = true
  return () => {
    listeners.delete(listener)
  }
}

/** Loads the list now, after writes of this tab were accepted, and whenever the tab is shown again. Another user gets another list. */
function follow(): void {
  void reloadTypes()
  loadedFor = currentSession()?.userId
  onProfileChange(clearForOtherUser)
  let pending = client.sync.get().pending
  client.sync.subscribe(() => {
    const now = client.sync.get().pending
    if (now === 0 && pending > 0) void reloadTypes()
    pending = now
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void reloadTypes()
  })
}

interface FoundType {
  readonly id: number
  readonly name: string
  readonly count: number
  readonly counted: boolean
  readonly kind: 'record' | 'value'
}

function combine(
  found: readonly FoundType[],
  declared: Readonly<Record<string, DeclaredType>>,
): readonly ConsoleType[] {
  const known = new Set(found.map(({ name }) => name))
  const empty = Object.keys(declared)
    .map((name) => `the_${name}`)
    .filter((name) => !known.has(name))
    .map((name): FoundType => ({ id: 0, name, count: 0, counted: true, kind: 'record' }))
  const all = [...found, ...empty]
  const marks = assignMarks(all)
  return all.map((type) => ({
    ...type,
    names: namesOf(type.name),
    mark: marks.get(type.name) ?? plain,
    declared: declared[type.name.replace(/^the_/, '')],
    kind: declared[type.name.replace(/^the_/, '')] ? 'record' : type.kind,
  }))
}

const dyes = ['a', 'b', 'd', 'c'] as const
const patterns = ['', 'dash', 'twin'] as const
const plain: ThreadStyle = { dye: 'u', pattern: '' }

/**
 * Gives each type of records one of twelve marks, in the order of the types' ids, so that a new type changes no mark. Marks
 * repeat from the thirteenth type on; the name is always next to the mark.
 */
function assignMarks(all: readonly FoundType[]): ReadonlyMap<string, ThreadStyle> {
  const records = all.filter(({ kind }) => kind === 'record')
  const inOrder = records.toSorted(
    (a, b) => (a.id || Number.MAX_SAFE_INTEGER) - (b.id || Number.MAX_SAFE_INTEGER),
  )
  return new Map(
    inOrder.map(({ name }, i) => [
      name,
      {
        dye: dyes[i % dyes.length] ?? 'u',
        pattern: patterns[Math.floor(i / dyes.length) % patterns.length] ?? '',
      },
    ]),
  )
}

/** Returns the mark of a type by its name, or the neutral mark for an unknown type. */
export function markOf(types: readonly ConsoleType[], name: string): ThreadStyle {
  return types.find((type) => type.name === name)?.mark ?? plain
}
