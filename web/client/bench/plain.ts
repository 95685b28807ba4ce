import type { Concept } from '../src/model/concept.ts'
import type { Connection } from '../src/model/connection.ts'
import type { Id } from '../src/model/id.ts'

interface Nested {
  [key: string]: string | Nested
}

/** The baseline: the same results from plain Maps, without sync, undo or storage. */
export class Plain {
  readonly concepts = new Map<Id, Concept>()
  readonly connections = new Map<Id, Connection>()
  readonly bySource = new Map<Id, Connection[]>()
  readonly byValue = new Map<Id, Map<string, Concept>>()
  readonly types = new Map<string, Id>()
  readonly watchers = new Map<Id, Set<() => void>>()
  readonly touched = new Set<Id>()
  next = -100
  private created = ''

  add(c: Concept): void {
    this.concepts.set(c.id, c)
    if (c.category === 1) this.types.set(c.value, c.id)
    this.byValue.get(c.type)?.set(c.value, c)
  }

  find(type: string, value: string): Concept | undefined {
    const id = this.types.get(type) ?? 0
    let values = this.byValue.get(id)
    if (values === undefined) {
      values = new Map()
      for (const c of this.concepts.values()) if (c.type === id) values.set(c.value, c)
      this.byValue.set(id, values)
    }
    return values.get(value)
  }

  connect(c: Connection): void {
    this.connections.set(c.id, c)
    const list = this.bySource.get(c.from)
    if (list) list.push(c)
    else this.bySource.set(c.from, [c])
  }

  read(id: Id): Nested {
    const record: Nested = {}
    for (const link of this.bySource.get(id) ?? []) {
      const child = this.concepts.get(link.to) as Concept
      const name = (this.concepts.get(child.type) as Concept).value
      const key = name.startsWith('the_') ? name.slice(4) : name
      record[key] = child.composition ? this.read(child.id) : child.value
    }
    return record
  }

  create(type: string, fields: Nested): Id {
    this.created = new Date().toISOString()
    const main = this.make(this.types.get(type) as Id, '', true)
    this.fill(main, main, fields)
    return main
  }

  update(main: Id, key: string, value: string): void {
    this.created = new Date().toISOString()
    const type = this.types.get(`the_${key}`) as Id
    const list = this.bySource.get(main) as Connection[]
    const i = list.findIndex((link) => this.concepts.get(link.to)?.type === type)
    const [old] = list.splice(i, 1)
    if (old) this.connections.delete(old.id)
    this.link(main, this.make(type, value, false), main)
    if (this.touched.size === 0) queueMicrotask(() => this.notify())
    this.touched.add(main)
  }

  private notify(): void {
    const touched = [...this.touched]
    this.touched.clear()
    for (const id of touched) for (const changed of this.watchers.get(id) ?? []) changed()
  }

  private fill(main: Id, parent: Id, fields: Nested): void {
    for (const [key, value] of Object.entries(fields)) {
      if (typeof value === 'string') {
        this.link(parent, this.make(this.types.get(`the_${key}`) as Id, value, false), main)
        continue
      }
      const head = this.make(this.types.get(key) as Id, '', true)
      this.link(parent, head, main)
      this.fill(main, head, value)
    }
  }

  private make(type: Id, value: string, composition: boolean): Id {
    const id = --this.next
    const { created } = this
    this.add({ id, type, category: 4, value, owner: 999, access: 4, composition, created })
    return id
  }

  private link(from: Id, to: Id, type: Id): void {
    const { created } = this
    this.connect({ id: --this.next, from, to, type, order: 1, owner: 999, access: 4, created })
  }
}
