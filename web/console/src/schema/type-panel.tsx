import { type FormEvent, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import type { Finding } from '../model/found.ts'
import { countText, fieldLabel, numberText } from '../model/names.ts'
import type { ConsoleType } from '../model/types.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { useFocusAfter } from '../parts/use-focus-after.ts'
import { FieldEditor } from './field-editor.tsx'
import {
  declarationOf,
  declarationWords,
  type Fields,
  isName,
  rowsOf,
  type SchemaRow,
} from './rows.ts'
import { type Draft, type RuleViolations, useDraft } from './use-draft.ts'

interface TypePanelProps {
  readonly type: ConsoleType
  readonly finding: Finding
}

/** A type as found in the data, next to its declaration. Admins edit the declaration here. */
export function TypePanel({ type, finding }: TypePanelProps) {
  const { isAdmin } = useConsole()
  const name = type.name.replace(/^the_/, '')
  const draft = useDraft(name, type.declared)
  const found = finding.status === 'ready' ? finding.found : undefined
  const rows = rowsOf(type.name, found, draft.fields)
  const canEdit = isAdmin && isName(name)
  const heading = useFocusAfter<HTMLHeadingElement>(draft.isChanged)
  return (
    <section className="type-panel" aria-label={type.names.one}>
      <h2 className="title" ref={heading} tabIndex={-1}>
        <ThreadMark mark={type.mark} /> {type.names.many}
      </h2>
      <p className="soft">
        <code>{type.name}</code>, {type.counted ? '' : 'about '}
        {countText(type.count, type.names)}.{' '}
        <Link className="underline b" to={`/records/${type.name}`}>
          Open them
        </Link>
      </p>
      {type.id !== 0 && finding.status === 'loading' && (
        <Loading>Still reading the records.</Loading>
      )}
      {type.id !== 0 && finding.status === 'error' && <Failed error={finding.message} />}
      {found && (
        <p className="soft">
          Found in {found.all ? 'all' : 'the newest'} {numberText(found.records)} that you can see.
        </p>
      )}
      <Rows rows={rows} draft={draft} canEdit={canEdit} records={found?.records ?? 0} />
      {canEdit && <NewField fields={draft.fields} set={draft.set} />}
      <PreviewNote draft={draft} type={type.name} />
      {!isAdmin && <p className="soft">Only admins can change declarations.</p>}
      {isAdmin && !isName(name) && (
        <p className="soft">
          This type cannot be declared: a declared name has only letters and digits, and “{name}”
          has other characters.
        </p>
      )}
    </section>
  )
}

interface RowsProps {
  readonly rows: readonly SchemaRow[]
  readonly draft: Draft
  readonly canEdit: boolean
  readonly records: number
}

function Rows({ rows, draft, canEdit, records }: RowsProps) {
  const set = (name: string, field: Fields[string] | undefined) => {
    const entries = Object.entries({ ...draft.fields, [name]: field }).filter(
      ([, one]) => one !== undefined,
    )
    draft.set(Object.fromEntries(entries) as Fields)
  }
  if (rows.length === 0) return <p className="soft">There are no fields yet.</p>
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            <th scope="col">Field or link</th>
            <th scope="col">Found in the data</th>
            <th scope="col">Declared</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                {fieldLabel(row.name)} <code>{row.name}</code>
              </th>
              <td>{foundWords(row, records)}</td>
              <td>
                <DeclaredCell
                  row={row}
                  canEdit={canEdit}
                  violations={violationsOf(draft, row.name)}
                  set={(field) => set(row.name, field)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function violationsOf({ preview }: Draft, name: string): readonly RuleViolations[] {
  if (preview.status !== 'checked') return []
  return preview.preview.violations.filter(
    ({ field }) => field === name || field.startsWith(`${name}.`),
  )
}

/** Returns a description of the data of a row: "text in 3 of 4, such as “open”". */
function foundWords({ field, link }: SchemaRow, records: number): string {
  const found = field ?? link
  if (!found) return 'not in the records that were read'
  const kind = field
    ? field.kind
    : link?.kind || `link to ${link?.types.map((type) => fieldLabel(type)).join(', ')}`
  const most = link && link.most > 1 ? `, up to ${link.most} each` : ''
  const example = found.examples[0] === undefined ? '' : `, such as “${found.examples[0]}”`
  return `${kind} in ${numberText(found.records)} of ${numberText(records)}${most}${example}`
}

interface DeclaredCellProps {
  readonly row: SchemaRow
  readonly canEdit: boolean
  readonly violations: readonly RuleViolations[]
  readonly set: (field: Fields[string] | undefined) => void
}

function DeclaredCell({ row, canEdit, violations, set }: DeclaredCellProps) {
  if (row.declared && !canEdit) return <>{declarationWords(row.declared)}</>
  if (row.declared)
    return (
      <>
        <FieldEditor name={row.name} field={row.declared} set={set} />
        {violations.map((violation) => (
          <Violation key={violation.rule + violation.field} violation={violation} />
        ))}
        <button
          type="button"
          className="button bare"
          aria-label={`Do not declare ${row.name}`}
          onClick={() => set(undefined)}
        >
          Do not declare
        </button>
      </>
    )
  if (row.obstacle !== undefined) return <span className="soft">{row.obstacle}</span>
  if (!canEdit) return <span className="soft">not declared</span>
  return (
    <button
      type="button"
      className="button quiet"
      aria-label={`Declare ${row.name}`}
      onClick={() => set(declarationOf(row))}
    >
      Declare
    </button>
  )
}

/** The number of records that would violate a rule, with a link to them. */
function Violation({ violation: { count, message, records } }: { violation: RuleViolations }) {
  const query = JSON.stringify({ conceptIds: records, selectors: ['self'], inpage: records.length })
  return (
    <p className="note a">
      <Link className="underline a" to={`/ask?${new URLSearchParams({ query })}`}>
        {count === 1 ? '1 record' : `${numberText(count)} records`} would violate this
      </Link>
      <span className="soft">{message}</span>
    </p>
  )
}

function PreviewNote({ draft, type }: { draft: Draft; type: string }) {
  const { preview, isChanged } = draft
  if (!isChanged) return null
  return (
    <div className="note b" role="status">
      <p>{previewWords(draft, type)}</p>
      <p className="acts">
        <BusyButton
          className="button"
          isUnavailable={preview.status !== 'checked'}
          onClick={() => void draft.apply()}
        >
          Apply
        </BusyButton>
        <button type="button" className="button quiet" onClick={draft.discard}>
          Discard
        </button>
      </p>
    </div>
  )
}

function previewWords({ preview }: Draft, type: string): string {
  switch (preview.status) {
    case 'none':
    case 'checking':
      return 'Checking the stored records.'
    case 'refused':
      return preview.message
    case 'checked': {
      const { records, complete, violations } = preview.preview
      const own = violations.reduce((sum, { count }) => sum + count, 0)
      const read = `${complete ? 'All' : 'The first'} ${numberText(records)} records of ${fieldLabel(type).toLowerCase()} were checked`
      return own === 0
        ? `${read}: none violates the new declaration.`
        : `${read}: ${numberText(own)} violations. These records stay unchanged; each must be corrected with its next change.`
    }
  }
}

function NewField({ fields, set }: { fields: Fields; set: (fields: Fields) => void }) {
  const [problem, setProblem] = useState('')
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const name = String(new FormData(form).get('name')).trim()
    if (!isName(name))
      setProblem(
        `“${name}” is not a valid name: a name begins with a lower-case letter and has only letters and digits.`,
      )
    else if (fields[name]) setProblem(`“${name}” is already declared.`)
    else {
      setProblem('')
      set({ ...fields, [name]: { kind: 'text' } })
      form.reset()
    }
  }
  return (
    <form className="acts" onSubmit={add}>
      <input
        className="input"
        name="name"
        aria-label="Name of a new field"
        placeholder="deliveryDate"
        autoComplete="off"
      />
      <button type="submit" className="button quiet">
        Add a field
      </button>
      {problem !== '' && <span role="alert">{problem}</span>}
    </form>
  )
}
