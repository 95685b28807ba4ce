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
}

/** A record of the trial, under the key it carries for ever. */
export interface Note {
  readonly key: string
  /** Its local id, and the tab that may call it that. */
  id: Id
  readonly tab: string
  real?: Id
  removed: boolean
  readonly writes: Made[]
}

type Asked = Extract<Operation, { readonly write: number }>

type Kind = 'create' | 'update' | 'remove' | 'link'

interface Question {
  readonly tab: string
  readonly operation: Asked
  readonly about: Note
  readonly to?: Note | undefined
}

/** What the user was told of all that was written in a trial. */
export interface Model {
  readonly notes: ReadonlyMap<string, Note>
  readonly writes: ReadonlyMap<number, Made>
  /** Says that a tab is about to be asked that, about records that are there. */
  asked(tab: string, operation: Operation, note?: Note, to?: Note): void
  told(tab: string, told: Told): void
  /** A tab is no more. What it had not saved, or all it had not synced where nothing is saved, may be lost. */
  gone(tab: string, saves: boolean): void
}

export function newModel(): Model {
  const notes = new Map<string, Note>()
  const writes = new Map<number, Made>()
  /** What was asked of tabs, and not made so far. */
  const questions = new Map<number, Question>()
  const closed = new Set<string>()

  function asked(tab: string, operation: Operation, note?: Note, to?: Note): void {
    if (!('write' in operation)) return
    const { write } = operation
    const some = operation.do === 'transact' ? operation.records.length : 1
    for (let i = write; i < write + some; i++) {
      const about = note ?? { key: `note ${i}`, tab, id: 0, removed: false, writes: [] }
      questions.set(i, { tab, operation, about, to })
    }
  }

  function made({ write, key, id, saw }: Told & { told: 'made' }, loose: boolean): void {
    const question = questions.get(write)
    if (!question) throw new Error(`nobody asked for write ${write}`)
    questions.delete(write)
    const { tab, operation, about, to } = question
    const group = operation.do === 'transact' ? operation.write : undefined
    const kind = operation.do === 'transact' ? 'create' : operation.do
    const { field, value } = operation.do === 'update' ? operation : {}
    const what = { kind, field, value, saw, to, group }
    const one: Made = { write, tab, about, ...what, key, saved: false, loose }
    writes.set(write, one)
    about.writes.push(one)
    if (kind === 'remove') about.removed = true
    if (kind !== 'create') return
    about.id = id
    notes.set(about.key, about)
  }

  function told(tab: string, told: Told): void {
    if (told.told === 'made') {
      made(told, closed.has(tab))
      return
    }
    if (told.told === 'discarded') {
      for (const one of writes.values()) if (told.keys.includes(one.key)) one.loose = true
      return
    }
    const one = writes.get(told.write)
    if (!one) throw new Error(`write ${told.write} was ${told.told} before it was made`)
    if (told.told === 'saved') one.saved = true
    else if (told.told !== 'synced') one.loose = true
    else {
      one.synced = told.id
      if (one.kind === 'create') one.about.real = told.id
    }
  }

  /** It may have made what it was asked for, and not have said so. */
  function gone(tab: string, saves: boolean): void {
    if (!saves) closed.add(tab)
    for (const [write, { tab: of, operation }] of questions) {
      const taken = operation.do !== 'transact' || operation.end === 'commit'
      if (of === tab && taken) made({ told: 'made', write, key: '', id: 0 }, true)
    }
    for (const one of writes.values()) {
      if (one.tab === tab && one.synced === undefined && !(saves && one.saved)) one.loose = true
    }
  }

  return { notes, writes, asked, told, gone }
}
