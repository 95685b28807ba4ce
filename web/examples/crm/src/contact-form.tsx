import { useQuery } from '@weft/react'
import { type FormEvent, useState } from 'react'
import type { Contact } from './schema.ts'
import { weft } from './weft.ts'

interface ContactFormProps {
  /** The contact to change; undefined to add a contact. */
  readonly contact?: Contact
  readonly label: string
  readonly onSave: (fields: ContactFields) => void
}

export interface ContactFields {
  readonly name: string
  readonly email: string | null
  readonly vip: boolean
  readonly company: NonNullable<Contact['company']>['id'] | null
}

export function ContactForm({ contact, label, onSave }: ContactFormProps) {
  const companies = useQuery(weft.find('company', { orderBy: { name: 'asc' }, limit: 1000 }))
  // The company of the contact is an option even if the query has not loaded it.
  const current = contact?.company
  const others = companies.data.filter(({ id }) => id !== current?.id)
  const [error, setError] = useState('')
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const company = String(form.get('company'))
    try {
      onSave({
        name: String(form.get('name')),
        email: String(form.get('email')) || null,
        vip: form.has('vip'),
        company: company === '' ? null : weft.id('company', company),
      })
      setError('')
      event.currentTarget.reset()
    } catch (error) {
      setError((error as Error).message)
    }
  }
  return (
    <form onSubmit={save} aria-label={label}>
      <input name="name" aria-label="Name" placeholder="Name" defaultValue={contact?.name} />
      <input
        name="email"
        aria-label="E-mail"
        placeholder="E-mail"
        defaultValue={contact?.email ?? ''}
      />
      <select name="company" aria-label="Company" defaultValue={current?.id ?? ''}>
        <option value="">No company</option>
        {current && <option value={current.id}>{current.name}</option>}
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <label>
        <input name="vip" type="checkbox" defaultChecked={contact?.vip ?? false} /> VIP
      </label>
      <button type="submit">{label}</button>
      {error && <p role="alert">{error}</p>}
    </form>
  )
}
