import type { Id } from '../src/graph/id.ts'
import type { Field, Operation, Told } from './operation.ts'

/** A write as far as its tab told of it. */
export interface Made {
  readonly write: number
  /** The tab that made it. */
  readonly tab: string
  readonly about: Note
  /** Of an update. */
  readonly field?: Field | undefined
  readonly value?: string | undefined
  readonly saw?: string | undefined
  readonly kind: Kind
  /** Of a link, its end. */
  readonly to?: Note | undefined
  /** The first of the transaction that it is a part of. */
  readonly group?: number | undefined
  /** By which tabs know it. */
  readonly key: string
  saved: boolean
  /** True when the user gave it up, or it was never saved and its tab is no more. */
  loose: boolean
  /** The real id that its tab was told. */
  synced?: Id
  /** What the server says against it, at the end. */
  refused?: string
  /** The tab is no more that could have been told that it is synced. */
  orphan: boolean
  /** How many requests had come when its tab had forgotten it. */
  forgotten?: number
}

/** A record of the trial, under the key it carries for ever. */
export interface Note {
  readonly key: string
  /** Its local id, and the tab that may call it that. */
  id: Id
  readonly tab: string
  real?: Id
  removed: boolean
  /** True when its creation was given up by a tab that went before it could say what went along. */
  forsaken: boolean
  readonly writes: Made[]
}

type Kind = 'create' | 'update' | 'remove' | 'link'

/** What a tab was asked to write. */
interface Question extends Pick<Made, 'tab' | 'about' | 'kind' | 'to' | 'group'> {
  readonly field?: Field | undefined
  readonly value?: string | undefined
  readonly saw?: string | undefined
  /** True when it may be there without a word. */
  counts: boolean
}

/** What the user was told of all that was written in a trial. */
export interface Model {
  readonly notes: ReadonlyMap<string, Note>
  readonly writes: ReadonlyMap<number, Made>
  /** The transactions that were left open, by their first writes, with the tab that did. */
  readonly open: ReadonlyMap<number, string>
  /** What each request with writes spoke of, in the order in which they came: records by their keys, and new values. */
  readonly requests: readonly ReadonlySet<string>[]
  /** Says that a tab is about to be asked that, about records that are there. */
  asked(tab: string, operation: Operation, note?: Note, to?: Note): void
  told(tab: string, told: Told): void
  sent(body: string): void
  /** A tab is no more. What it had not saved, or all it had not synced where nothing is saved, may be lost. */
  gone(tab: string, saves: boolean): void
}

export function newModel(): Model {
  const notes = new Map<string, Note>()
  const writes = new Map<number, Made>()
  const open = new Map<number, string>()
  const requests: ReadonlySet<string>[] = []
  /** What was asked of tabs, and not made so far. */
  const questions = new Map<number, Question>()
  const closed = new Set<string>()
  /** What tabs are discarding, by its key, with the tab. */
  const discards = new Map<string, string>()

  function asked(tab: string, operation: Operation, note?: Note, to?: Note): void {
    if (!('write' in operation)) return
    const { write } = operation
    if (operation.do === 'transact') transacted(tab, operation)
    else if (operation.do === 'end') ended(operation)
    else {
      const about = note ?? newNote(tab, write)
      const { field, value } = operation.do === 'update' ? operation : {}
      questions.set(write, { tab, about, kind: operation.do, field, value, to, counts: true })
    }
  }

  function transacted(tab: string, { write, value, end }: Operation & { do: 'transact' }): void {
    const [first, second] = [newNote(tab, write), newNote(tab, write + 1)]
    const part = { tab, group: write, counts: end === 'commit' }
    const saw = `text of ${second.key}`
    questions.set(write, { ...part, about: first, kind: 'create' })
    questions.set(write + 1, { ...part, about: second, kind: 'create' })
    questions.set(write + 2, { ...part, about: second, kind: 'update', field: 'text', value, saw })
    questions.set(write + 3, { ...part, about: first, kind: 'link', to: second })
  }

  function ended({ write, commit }: Operation & { do: 'end' }): void {
    open.delete(write)
    for (const question of questions.values())
      if (question.group === write && commit) question.counts = true
  }

  function made(tab: string, { write, key, id, saw }: Told & { told: 'made' }): void {
    const question = questions.get(write)
    if (!question) throw new Error(`nobody asked for write ${write}`)
    questions.delete(write)
    const { counts: _, ...what } = question
    const lost = closed.has(tab)
    const one: Made = {
      ...what,
      ...{ tab, write, key, saved: false, loose: lost, orphan: lost },
      saw: saw ?? what.saw,
    }
    const { about, kind } = one
    writes.set(write, one)
    about.writes.push(one)
    if (about.forsaken || one.to?.forsaken) one.loose = true
    if (kind === 'remove') about.removed = true
    if (kind !== 'create') return
    about.id = id
    notes.set(about.key, about)
  }

  function told(tab: string, told: Told): void {
    if (told.told === 'made') made(tab, told)
    else if (told.told === 'open') closed.has(tab) || open.set(told.write, tab)
    else if ('keys' in told) forget(tab, told)
    else {
      const one = writes.get(told.write)
      if (!one) throw new Error(`write ${told.write} was ${told.told} before it was made`)
      if (told.told === 'saved') one.saved = true
      else if (told.told !== 'synced') one.loose = true
      else {
        one.synced = told.id
        if (one.kind === 'create') one.about.real = told.id
      }
    }
  }

  function forget(tab: string, { told, keys }: Told & { readonly keys: readonly string[] }): void {
    if (told === 'discarded') for (const key of keys) discards.set(key, tab)
    else for (const [key, by] of discards) if (by === tab) discards.delete(key)
    for (const one of writes.values()) {
      if (!keys.includes(one.key)) continue
      one.loose = true
      if (told === 'forgotten') one.forgotten = requests.length
    }
  }

  /** It may have made what it was asked for, and not have said so. */
  function gone(tab: string, saves: boolean): void {
    if (!saves) {
      closed.add(tab)
      for (const [write, by] of open) if (by === tab) open.delete(write)
    }
    for (const [write, question] of questions) {
      if (question.tab !== tab || !question.counts) continue
      made(tab, { told: 'made', write, key: '', id: 0 })
      const one = writes.get(write)
      if (one) one.loose = true
    }
    for (const one of writes.values()) {
      if (one.tab !== tab || one.synced !== undefined) continue
      one.orphan = true
      if (!(saves && one.saved)) one.loose = true
    }
    for (const [key, by] of discards) if (by === tab) forsake(key)
  }

  /** What builds on what was given up may be gone with it. */
  function forsake(key: string): void {
    const all = [...writes.values()]
    const given = all.filter((one) => one.key === key)
    const groups = new Set(given.map(({ group, write }) => group ?? write))
    const along = all.filter(({ group, write }) => groups.has(group ?? write))
    for (const { kind, about } of along) if (kind === 'create') about.forsaken = true
    for (const one of all) if (one.about.forsaken || one.to?.forsaken) one.loose = true
  }

  const sent = (body: string) => {
    requests.push(new Set(body.match(/(?<=")(note|text by|at by) \d+(?=")/g)))
  }

  return { notes, writes, open, requests, asked, told, sent, gone }
}

const newNote = (tab: string, write: number): Note => ({
  key: `note ${write}`,
  tab,
  id: 0,
  removed: false,
  forsaken: false,
  writes: [],
})
