import { useQuery } from '@weft/react'
import { useState } from 'react'
import { ContactForm } from './contact-form.tsx'
import { ContactRow } from './contact-row.tsx'
import { weft } from './weft.ts'

const orders = {
  'Name, A to Z': { name: 'asc' },
  'Name, Z to A': { name: 'desc' },
  'Newest first': { _createdAt: 'desc' },
} as const

/** The contacts that match the filter, ten more at a time. */
export function Contacts() {
  const [name, setName] = useState('')
  const [onlyVip, setOnlyVip] = useState(false)
  const [order, setOrder] = useState<keyof typeof orders>('Name, A to Z')
  const contacts = useQuery(
    weft.find('contact', {
      where: { ...(name && { name: { contains: name } }), ...(onlyVip && { vip: true }) },
      with: { company: true },
      orderBy: orders[order],
      limit: 10,
    }),
  )
  return (
    <section>
      <h2>Contacts</h2>
      <ContactForm label="Add contact" onSave={(fields) => weft.create('contact', fields)} />
      <div className="filter">
        <input
          aria-label="Search"
          placeholder="Search names"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <label>
          <input type="checkbox" checked={onlyVip} onChange={() => setOnlyVip(!onlyVip)} /> Only
          VIPs
        </label>
        <select
          aria-label="Order"
          value={order}
          onChange={(event) => setOrder(event.target.value as keyof typeof orders)}
        >
          {Object.keys(orders).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      {contacts.status === 'error' && <p role="alert">{contacts.error.message}</p>}
      <table aria-label="Contacts">
        <tbody>
          {contacts.data.map((contact) => (
            <ContactRow key={contact.id} contact={contact} />
          ))}
        </tbody>
      </table>
      {contacts.hasMore && (
        <button type="button" onClick={contacts.loadMore}>
          Show more
        </button>
      )}
    </section>
  )
}
