/**
 * Compile-time tests of the typed client: `tsc` is the test runner. `same<X>()(value)` compiles only when the type of
 * `value` is exactly X, and `@ts-expect-error` marks each program that must not compile. The code is never executed.
 */
import { createClient } from '../../src/index.ts'
import * as s from '../../src/schema/index.ts'
import {
  boolean,
  type CreateInput,
  type Cursor,
  choice,
  date,
  dateTime,
  defineSchema,
  file,
  type Id,
  integer,
  type Json,
  json,
  list,
  longText,
  many,
  number,
  one,
  type Row,
  type RowOf,
  record,
  type StoredFile,
  type TypedState,
  type TypedWrite,
  text,
  type UpdateInput,
} from '../../src/schema/index.ts'

type Same<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false
/** Compiles when X and Y are the same type. */
declare function same<X>(): <Y>(
  value: Y,
  ...check: Same<X, Y> extends true ? [] : [{ expected: X; found: Y }]
) => void

const schema = defineSchema({
  contact: {
    name: text().required().max(200),
    email: text().unique().format('email'),
    age: integer().min(0),
    score: number().default(0),
    vip: boolean().default(false),
    joined: date(),
    seen: dateTime(),
    tags: list(text()),
    photo: file(),
    meta: json<{ source: string; depth?: number }>(),
    notes: longText(),
    stage: choice('lead', 'customer', 'lost').default('lead'),
    salary: number().restricted(),
    address: record({ street: text(), city: text().required() }),
    phones: list(record({ label: text(), digits: text().required() })),
    company: one('company'),
    manager: one('contact'),
    reports: many('contact', 'manager'),
    groups: many('group'),
    profile: one('profile', 'contact'),
  },
  company: {
    name: text().required(),
    founded: date(),
    contacts: many('contact', 'company'),
    parent: one('company'),
    children: many('company', 'parent'),
  },
  group: { name: text().required().unique(), members: many('contact', 'groups') },
  profile: { bio: longText(), contact: one('contact').required() },
  comment: {
    body: text().required(),
    subject: one(['contact', 'company']),
    seenBy: many(['contact', 'company']),
  },
})

const client = createClient({ url: 'http://localhost:8080', application: 'crm', schema })
type Contact = Row<typeof schema, 'contact'>
declare const contactId: Id<'contact'>
declare const companyId: Id<'company'>
declare const groupId: Id<'group'>
declare const someCursor: Cursor

// ── Rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

declare const contact: Contact
same<Id<'contact'>>()(contact.id)
same<string>()(contact.name)
same<string | null>()(contact.email)
same<number | null>()(contact.age)
same<number>()(contact.score)
same<boolean>()(contact.vip)
same<string | null>()(contact.joined)
same<Date | null>()(contact.seen)
same<readonly string[]>()(contact.tags)
same<StoredFile | null>()(contact.photo)
same<{ source: string; depth?: number } | null>()(contact.meta)
same<string | null>()(contact.notes)
same<'lead' | 'customer' | 'lost'>()(contact.stage)
same<number | null | undefined>()(contact.salary)
same<{ readonly id: number; readonly street: string | null; readonly city: string } | null>()(
  contact.address,
)
same<readonly { readonly id: number; readonly label: string | null; readonly digits: string }[]>()(
  contact.phones,
)
// @ts-expect-error A row has no links unless the query asks for them.
contact.company
// @ts-expect-error A row has no such field.
contact.nam
// @ts-expect-error An optional value may be null.
contact.email.length
// @ts-expect-error Rows are read-only.
contact.name = 'Bo'

// ── Find ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const plain = client.find('contact')
same<Contact>()({} as RowOf<typeof plain>)
const withCompany = client.find('contact', { with: { company: true } })
type WithCompany = RowOf<typeof withCompany>
declare const linked: WithCompany
same<Row<typeof schema, 'contact', { company: true }>>()(linked)
same<{
  readonly id: Id<'company'>
  readonly name: string
  readonly founded: string | null
} | null>()(linked.company)
same<Id<'company'> | undefined>()(linked.company?.id)
same<string | null | undefined>()(linked.company?.founded)
// @ts-expect-error The company may be missing or not readable.
linked.company.name
// @ts-expect-error The query asked for one level of links only.
linked.company?.contacts

const deep = client.find('company', {
  with: {
    contacts: {
      with: { company: { with: { parent: true } }, groups: true },
      where: { vip: true },
      limit: 3,
    },
  },
})
declare const deepRow: RowOf<typeof deep>
same<string | undefined>()(deepRow.contacts[0]?.name)
same<string | undefined>()(deepRow.contacts[0]?.groups[0]?.name)
same<string | undefined>()(deepRow.contacts[0]?.company?.parent?.name)
same<Id<'contact'> | undefined>()(deepRow.contacts[0]?.id)

const family = client.find('contact', {
  with: { manager: { with: { manager: true } }, reports: true, profile: true },
})
declare const familyRow: RowOf<typeof family>
same<string | undefined>()(familyRow.manager?.manager?.name)
same<readonly Contact[]>()(familyRow.reports)
same<string | null | undefined>()(familyRow.profile?.bio)

const members = client.find('group', { with: { members: { select: ['name', 'age'] } } })
declare const membersRow: RowOf<typeof members>
same<
  readonly { readonly id: Id<'contact'>; readonly name: string; readonly age: number | null }[]
>()(membersRow.members)

const selected = client.find('contact', { select: ['name', 'vip'] })
same<{ readonly id: Id<'contact'>; readonly name: string; readonly vip: boolean }>()(
  {} as RowOf<typeof selected>,
)
const selectedWith = client.find('contact', { select: ['name'], with: { company: true } })
same<string | undefined>()(({} as RowOf<typeof selectedWith>).company?.name)

const counted = client.find('company', {
  with: { _count: { contacts: true, children: { where: { name: 'x' } } } },
})
same<{ readonly contacts: number; readonly children: number }>()(
  ({} as RowOf<typeof counted>)._count,
)
const dated = client.find('company', { with: { _createdAt: true, _owner: true } })
same<Date>()(({} as RowOf<typeof dated>)._createdAt)
same<string | null>()(({} as RowOf<typeof dated>)._owner)

const comments = client.find('comment', { with: { subject: true, seenBy: true } })
declare const comment: RowOf<typeof comments>
if (comment.subject?._type === 'company') same<string | null>()(comment.subject.founded)
if (comment.subject?._type === 'contact') same<boolean>()(comment.subject.vip)
same<'contact' | 'company' | undefined>()(comment.seenBy[0]?._type)

client.find('contact', { where: { vip: true, age: { gt: 20 } } })
client.find('contact', {
  where: { name: { contains: 'an' } },
  orderBy: { name: 'asc' },
  limit: 20,
  after: someCursor,
})
client.find('contact', { where: { company: { founded: { lt: '2000-01-01' } } } })
client.find('contact', { where: { company: companyId } })
client.find('contact', { where: { company: null } })
client.find('contact', { where: { company: { exists: false } } })
client.find('contact', { where: { email: null, joined: { exists: true } } })
client.find('contact', {
  where: { or: [{ vip: true }, { not: { age: { lte: 3 } } }], and: [{ name: 'Ann' }] },
})
client.find('contact', { where: { stage: { in: ['lead', 'lost'] }, tags: { hasSome: ['a'] } } })
client.find('contact', {
  where: { seen: { gt: new Date(), lt: '2026-01-01T00:00:00Z' }, _createdAt: { gte: new Date() } },
})
client.find('contact', { where: { address: { city: 'Gent', street: { startsWith: 'R' } } } })
client.find('contact', {
  where: { id: { in: [contactId] }, manager: { manager: { company: { parent: { name: 'A' } } } } },
})
client.find('company', {
  where: { contacts: { some: { vip: true, age: { gt: 20 } }, none: { name: 'Bo' } } },
})
client.find('company', {
  where: { contacts: { every: { groups: { some: { members: { some: { vip: true } } } } } } },
})
client.find('comment', { where: { subject: contactId } })
client.find('comment', { where: { subject: { _type: 'company' } } })
client.find('contact', { orderBy: { name: 'asc', age: 'desc', _createdAt: 'desc' } })
client.find('contact', { search: 'ann acme' })

// @ts-expect-error No such type.
client.find('contacts')
// @ts-expect-error No such field.
client.find('contact', { where: { nam: 'Ann' } })
// @ts-expect-error Wrong type of a value.
client.find('contact', { where: { age: '20' } })
// @ts-expect-error No such operator.
client.find('contact', { where: { age: { greaterThan: 20 } } })
// @ts-expect-error Only text fields have `contains`.
client.find('contact', { where: { age: { contains: 2 } } })
// @ts-expect-error Not a value of the choice.
client.find('contact', { where: { stage: 'won' } })
// @ts-expect-error A required field is never null.
client.find('contact', { where: { name: null } })
// @ts-expect-error A company has no such field.
client.find('contact', { where: { company: { nam: 'Acme' } } })
// @ts-expect-error An id of another type.
client.find('contact', { where: { company: contactId } })
// @ts-expect-error A to-many link needs some, every or none.
client.find('company', { where: { contacts: { vip: true } } })
// @ts-expect-error No such link.
client.find('contact', { with: { compny: true } })
// @ts-expect-error No such link, next to one that exists.
client.find('contact', { with: { company: true, compny: true } })
// @ts-expect-error A field is not a link.
client.find('contact', { with: { name: true } })
// @ts-expect-error No such link, one level down.
client.find('contact', { with: { company: { with: { contact: true } } } })
// @ts-expect-error No such field in a filter one level down.
client.find('company', { with: { contacts: { where: { vpi: true } } } })
// @ts-expect-error No such option one level down.
client.find('company', { with: { contacts: { filter: { vip: true } } } })
// @ts-expect-error Only to-many links are counted.
client.find('contact', { with: { _count: { company: true } } })
// @ts-expect-error No such field to order by.
client.find('contact', { orderBy: { nam: 'asc' } })
// @ts-expect-error No such direction.
client.find('contact', { orderBy: { name: 'up' } })
client.find('contact', { orderBy: { company: { name: 'asc' }, name: 'desc' } })
// @ts-expect-error No such field of the linked record.
client.find('contact', { orderBy: { company: { nam: 'asc' } } })
// @ts-expect-error Rows cannot be ordered by a to-many link.
client.find('company', { orderBy: { contacts: { name: 'asc' } } })
// @ts-expect-error JSON has no order.
client.find('contact', { orderBy: { meta: 'asc' } })
// @ts-expect-error No such field to select.
client.find('contact', { select: ['name', 'nam'] })
// @ts-expect-error A cursor is not a number.
client.find('contact', { after: 20 })
// @ts-expect-error A plain number is not an id; `client.id('contact', 7)` makes one.
client.find('contact', { where: { id: 7 } })

// ── Query objects and state ─────────────────────────────────────────────────────────────────────────────────────────

same<TypedState<Contact>>()(plain.get())
same<Promise<Contact | undefined>>()(plain.first())
same<Promise<number>>()(plain.count())
plain.once().then((page) => same<readonly Contact[]>()(page.data))
plain.once().then((page) => same<Cursor | null>()(page.next))
plain.subscribe((state) => same<readonly Contact[]>()(state.data))
// @ts-expect-error A query is not a promise.
plain.then(() => {})

// ── Aggregates ──────────────────────────────────────────────────────────────────────────────────────────────────────

const byStage = client.aggregate('contact', {
  groupBy: ['stage', 'company'],
  sum: ['age'],
  max: ['joined', 'name'],
})
declare const group: RowOf<typeof byStage>
same<'lead' | 'customer' | 'lost'>()(group.stage)
same<Id<'company'> | null>()(group.company)
same<number>()(group.count)
same<number | null>()(group.sum.age)
same<string | null>()(group.max.joined)
// @ts-expect-error A text field has no sum.
client.aggregate('contact', { sum: ['name'] })
// @ts-expect-error The query did not ask for averages.
group.avg

// ── Writes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const ann = client.create('contact', { name: 'Ann', age: 30, vip: true })
same<TypedWrite<'contact'>>()(ann)
same<Promise<Id<'contact'>>>()(ann.synced)
client.create('contact', {
  name: 'Bo',
  email: null,
  age: undefined,
  joined: '2026-02-28',
  seen: new Date(),
  tags: ['a'],
  photo: { url: 'http://localhost:8080/uploads/a.png', name: 'a.png', type: 'image/png', size: 1 },
  meta: { source: 'web' },
  stage: 'customer',
  address: { city: 'Gent' },
  phones: [{ digits: '1' }],
  company: companyId,
  groups: [groupId],
})
// @ts-expect-error A file is uploaded first.
client.create('contact', { name: 'Bo', photo: new Blob([]) })
interface ContactForm {
  name: string
  email?: string | undefined
  age: number | null
}
declare const form: ContactForm
client.create('contact', form)
client.update(contactId, form)
client.update(ann.id, { age: 31, company: null, name: undefined })
client.update(client.id('contact', '17'), { name: 'Cy' })
client.upsert('contact', { by: 'email' }, { name: 'Ann', email: 'ann@example.org' })
client.increment(contactId, 'age', 1)
same<TypedWrite<'contact'>>()(client.remove(contactId).undo())
client.setLink(contactId, 'company', companyId)
client.setLink(contactId, 'company', null)
client.addLink(contactId, 'groups', groupId)
client.removeLink(companyId, 'contacts', contactId)
same<Id<'contact'>>()(client.id('contact', 7))
same<Id<'contact'> | undefined>()(client.realId(contactId))
const done = client.transaction((tx) => {
  const company = tx.create('company', { name: 'Acme' })
  return tx.create('contact', { name: 'Ann', company: company.id })
})
same<TypedWrite<'contact'>>()(done.result)
const input: CreateInput<typeof schema, 'company'> = { name: 'Acme' }
client.create('company', input)
const changes: UpdateInput<typeof schema, 'company'> = { founded: null }
client.update(companyId, changes)
same<string>()({} as Extract<Json, string>)
same<'a' | 'b' | null>()({} as Row<typeof enumSchema, 'x'>['kind'])
const enumSchema = defineSchema({ x: { kind: s.enum('a', 'b') } })

// @ts-expect-error The name is missing.
client.create('contact', { age: 30 })
// @ts-expect-error No such field.
client.create('contact', { name: 'Ann', agee: 30 })
// @ts-expect-error Wrong type of a value.
client.create('contact', { name: 'Ann', age: '30' })
// @ts-expect-error A calendar day is a string, never a Date, because a time zone could move a Date to another day.
client.create('contact', { name: 'Ann', joined: new Date() })
// @ts-expect-error An inverse link is set on the other record.
client.create('company', { name: 'Acme', contacts: [contactId] })
// @ts-expect-error An id of another type.
client.create('contact', { name: 'Ann', company: contactId })
// @ts-expect-error A required field cannot be emptied.
client.update(contactId, { name: null })
// @ts-expect-error No such field.
client.update(contactId, { nam: 'Bo' })
// @ts-expect-error A plain number is not an id.
client.update(17, { name: 'Bo' })
// @ts-expect-error Not a unique field.
client.upsert('contact', { by: 'name' }, { name: 'Ann' })
// @ts-expect-error The field by which the record is matched is missing.
client.upsert('contact', { by: 'email' }, { name: 'Ann' })
// @ts-expect-error A text field cannot be incremented.
client.increment(contactId, 'name', 1)
// @ts-expect-error A company is expected.
client.setLink(contactId, 'company', groupId)
// @ts-expect-error A to-many link is changed with addLink and removeLink.
client.setLink(contactId, 'groups', groupId)

// ── Schemas ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// @ts-expect-error No such type.
defineSchema({ contact: { company: one('compny') }, company: { name: text() } })
defineSchema({
  contact: { company: one('company') },
  // @ts-expect-error The inverse names no link.
  company: { contacts: many('contact', 'firm') },
})
defineSchema({
  contact: { name: text(), company: one('company') },
  // @ts-expect-error The inverse names a field, not a link.
  company: { contacts: many('contact', 'name') },
})
// @ts-expect-error The link leads elsewhere.
defineSchema({ a: { b: one('b') }, b: { x: text() }, c: { as: many('a', 'b') } })
// @ts-expect-error `id` is reserved.
defineSchema({ contact: { id: integer() } })
// @ts-expect-error Not a field.
defineSchema({ contact: { name: 'text' } })
// @ts-expect-error A default of another type.
defineSchema({ contact: { age: integer().default('0') } })
// @ts-expect-error Not one of the choices.
defineSchema({ contact: { stage: choice('a', 'b').default('c') } })
