import { useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { navigate } from '../model/router.ts'
import { reloadTypes } from '../model/types.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { createRecords } from './changes.ts'

/** A button that creates a type with its first record. */
export function NewType() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="button bare"
        aria-label="New type"
        onClick={() => setOpen(true)}
      >
        <Icon name="plus" />
      </button>
      <Dialog title="New type" isOpen={isOpen} close={() => setOpen(false)} className="narrow">
        <NewTypeForm close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function NewTypeForm({ close }: { close: () => void }) {
  const { client, undo } = useConsole()
  const submit = async (form: FormData) => {
    const name = typeName(String(form.get('type')))
    const title = String(form.get('title')).trim()
    if (name === '' || title === '') return
    await createRecords({ client, undo }, `the_${name}`, [{ name: title }], `${title} created`)
    close()
    navigate(`/records/the_${name}`)
    await reloadTypes()
  }
  return (
    <form className="stack" action={submit}>
      <label className="field">
        <span>What does a record describe?</span>
        <input name="type" required maxLength={60} placeholder="Product" />
      </label>
      <label className="field">
        <span>Name of the first record</span>
        <input name="title" required maxLength={255} placeholder="Pencil" />
      </label>
      <p className="soft">
        You add fields in the grid, with “Columns”. You can declare a schema later.
      </p>
      <p className="acts">
        <button type="submit" className="button">
          Create
        </button>
      </p>
    </form>
  )
}

/** Returns the stored name of a type, without `the_`, for the name that a user typed: `Order line` is `order_line`. */
export const typeName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
