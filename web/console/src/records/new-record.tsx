import { useMemo, useState } from 'react'
import { useConsole, useKeys } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import { setParams } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { createRecords } from './changes.ts'
import { type Column, titleColumn } from './columns.ts'
import { FieldInputs, useFields } from './field-inputs.tsx'

/** A button that creates a record: a form with the required fields and the name. */
export function NewRecord({ type, columns }: { type: ConsoleType; columns: readonly Column[] }) {
  const [isOpen, setOpen] = useState(false)
  const bindings = useMemo(
    () => [{ keys: 'n', label: `New ${type.names.one.toLowerCase()}`, run: () => setOpen(true) }],
    [type],
  )
  useKeys(bindings)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        <span>
          New <span className="desk">{type.names.one.toLowerCase()}</span>
        </span>
      </button>
      <Dialog
        title={`New ${type.names.one.toLowerCase()}`}
        isOpen={isOpen}
        close={() => setOpen(false)}
        className="narrow"
      >
        <NewRecordForm type={type} columns={columns} close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

/** The number of fields in the form. The others are edited in the record. */
const formFields = 8

function NewRecordForm({
  type,
  columns,
  close,
}: {
  readonly type: ConsoleType
  readonly columns: readonly Column[]
  readonly close: () => void
}) {
  const { client, undo } = useConsole()
  const [problem, setProblem] = useState('')
  const writable = useMemo(() => formColumns(columns), [columns])
  const fields = useFields(writable)
  const submit = async () => {
    try {
      const [id] = await createRecords(
        { client, undo },
        type.name,
        [fields.read()],
        `${type.names.one} created`,
      )
      close()
      setParams({ open: String(id) })
    } catch (error) {
      setProblem(errorText(error))
    }
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <FieldInputs columns={writable} fields={fields} />
      <p className="problem" role="alert">
        {problem}
      </p>
      <p className="acts">
        <button type="submit" className="button">
          Create
        </button>
      </p>
    </form>
  )
}

/** Returns the columns of the form: the name, the required fields and the first others. Links are set in the record. */
function formColumns(columns: readonly Column[]): readonly Column[] {
  const writable = columns.filter(
    ({ readOnly, kind, key }) =>
      readOnly === undefined && kind !== 'link' && kind !== 'links' && !key.includes('>'),
  )
  const title = titleColumn(writable)
  const required = writable.filter((column) => column.isRequired && column !== title)
  const others = writable.filter((column) => !column.isRequired && column !== title)
  const found = [...(title ? [title] : []), ...required, ...others].slice(0, formFields)
  return found.length > 0 ? found : [nameColumn]
}

/** The only column of the form for a type without fields. */
const nameColumn: Column = {
  key: 'name',
  label: 'Name',
  kind: 'text',
  target: undefined,
  choices: [],
  isRequired: true,
  readOnly: undefined,
}
