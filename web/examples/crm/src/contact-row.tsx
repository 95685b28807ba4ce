import { usePending } from '@weft/react'
import { useState } from 'react'
import { type ContactFields, ContactForm } from './contact-form.tsx'
import type { Contact } from './schema.ts'
import { addUndoStep } from './undo.tsx'
import { weft } from './weft.ts'

export function ContactRow({ contact }: { contact: Contact }) {
  const { id, name, email, vip, company } = contact
  const [isEditing, setEditing] = useState(false)
  const pending = usePending(id)

  const save = (fields: ContactFields) => {
    weft.update(id, fields)
    const before = { name, email, vip, company: company?.id ?? null }
    addUndoStep(`Changed ${name}`, () => weft.update(id, before))
    setEditing(false)
  }
  const remove = () => {
    const removal = weft.remove(id)
    addUndoStep(`Removed ${name}`, () => removal.undo())
  }

  if (isEditing)
    return (
      <tr>
        <td colSpan={4}>
          <ContactForm contact={contact} label="Save" onSave={save} />
        </td>
      </tr>
    )
  return (
    <tr>
      <td>
        {name} {vip && '★'} {pending && <small>not sent yet</small>}
      </td>
      <td>{email}</td>
      <td>{company?.name}</td>
      <td>
        <button type="button" aria-label={`Edit ${name}`} onClick={() => setEditing(true)}>
          Edit
        </button>{' '}
        <button type="button" aria-label={`Remove ${name}`} onClick={remove}>
          Remove
        </button>
      </td>
    </tr>
  )
}
