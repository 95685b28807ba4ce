import { useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import type { ConsoleType } from '../model/types.ts'
import { markOf } from '../model/types.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { useFocusAfter } from '../parts/use-focus-after.ts'
import { type Cell, cellOf, type LinkedRecord, type Row } from './cell.ts'
import { changeListLink, setCellLink, setCells } from './changes.ts'
import { ChooseText, isChangedMeanwhile } from './choose-text.tsx'
import type { Column } from './columns.ts'
import { CellContent } from './grid-row.tsx'
import { LinkSearch } from './link-search.tsx'
import { TextEditor } from './text-editor.tsx'
import { shortText } from './use-grid-actions.ts'

interface FieldRowProps {
  readonly column: Column
  readonly row: Row
  readonly types: readonly ConsoleType[]
  /** Whether the user may change the record. */
  readonly mayChange: boolean
}

/** A field of a record: its name and value, edited in place. */
export function FieldRow({ column, row, types, mayChange }: FieldRowProps) {
  const [isEditing, setEditing] = useState(false)
  const place = useFocusAfter<HTMLElement>(isEditing, 'button.value, button.bare')
  const cell = cellOf(row, column)
  const canEdit = mayChange && column.readOnly === undefined && column.kind !== 'links'
  return (
    <>
      <dt>{column.label}</dt>
      <dd ref={place}>
        {isEditing ? (
          <FieldEditor {...{ column, row, cell }} close={() => setEditing(false)} />
        ) : column.kind === 'links' || column.kind === 'link' ? (
          <LinkValue {...{ column, row, cell, types, mayChange }} edit={() => setEditing(true)} />
        ) : !canEdit ? (
          <span className="value" title={column.readOnly}>
            <FieldValue {...{ cell, column, types }} />
          </span>
        ) : (
          <button
            type="button"
            className="value"
            aria-label={`${column.label}: ${cell.text === '' ? 'no value' : cell.text.slice(0, 80)}, edit`}
            onClick={() => setEditing(true)}
          >
            <FieldValue {...{ cell, column, types }} />
          </button>
        )}
      </dd>
    </>
  )
}

function FieldValue({
  cell,
  column,
  types,
}: {
  cell: Cell
  column: Column
  types: readonly ConsoleType[]
}) {
  if (cell.text === '') return <span className="soft">no value</span>
  const upload = uploadOf(cell.text)
  if (upload !== undefined) return <img className="preview" src={upload} alt={cell.text} />
  if (column.kind === 'longText')
    return <span className="long">{cell.text.slice(0, maxShown)}</span>
  return <CellContent cell={cell} column={column} types={types} />
}

/** The number of characters that are shown of long text. */
const maxShown = 2_000

/** Returns the address of a picture that was uploaded to this server; undefined for other text. */
const uploadOf = (text: string): string | undefined =>
  /^\/?uploads\/[\w.-]+\.(jpe?g|png|webp)$/.test(text) ? `/${text.replace(/^\//, '')}` : undefined

interface LinkValueProps extends FieldRowProps {
  readonly cell: Cell
  readonly edit: () => void
}

function LinkValue({ column, row, cell, types, mayChange, edit }: LinkValueProps) {
  const { client, undo, announce } = useConsole()
  const isList = column.kind === 'links'
  const remove = (target: LinkedRecord) =>
    changeListLink({ client, undo }, { id: row.id, column }, target, 'remove').catch(
      (error: unknown) => announce(errorText(error)),
    )
  return (
    <span className="link-values">
      {cell.links.map((link) => (
        <span key={link.id} className="link-value">
          <Link to={`/records/${link.type}/${link.id}`}>
            <span className={`ring ${markOf(types, link.type).dye}`}>
              <span>{link.label}</span>
            </span>
          </Link>
          {isList && mayChange && (
            <button
              type="button"
              className="x"
              aria-label={`Remove ${link.label}`}
              onClick={() => void remove(link)}
            >
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
      {cell.links.length === 0 && <span className="soft">none</span>}
      {column.target !== undefined && mayChange && (
        <button type="button" className="button bare" onClick={edit}>
          {isList ? 'Add' : cell.links.length > 0 ? 'Change' : 'Choose'}
          <span className="unseen"> {column.label}</span>
        </button>
      )}
    </span>
  )
}

interface FieldEditorProps {
  readonly column: Column
  readonly row: Row
  readonly cell: Cell
  readonly close: () => void
}

function FieldEditor({ column, row, cell, close }: FieldEditorProps) {
  const { client, undo, announce } = useConsole()
  const [began] = useState(cell.text)
  const [mine, setMine] = useState<string>()
  const writing = { client, undo }
  const label = (text: string) =>
    `${column.label} changed from ${shortText(cell.text)} to ${shortText(text)}`
  const attempt = async (work: Promise<void>): Promise<string | undefined> => {
    try {
      await work
      close()
      return undefined
    } catch (error) {
      announce(errorText(error))
      return errorText(error)
    }
  }
  const write = (text: string) =>
    attempt(setCells(writing, [{ id: row.id, column, before: cell, text }], label(text)))
  if (mine !== undefined)
    return (
      <ChooseText
        column={column}
        mine={mine}
        theirs={cell.text}
        settle={(keep) => void (keep === 'mine' ? write(mine) : close())}
      />
    )
  if (column.kind === 'link' || column.kind === 'links')
    return (
      <LinkSearch
        target={column.target ?? ''}
        label={column.label}
        start=""
        canBeEmpty={column.kind === 'link' && cell.links.length > 0}
        choose={(target) => {
          if (column.kind === 'link')
            void attempt(
              setCellLink(
                writing,
                { id: row.id, column, before: cell },
                target,
                label(target?.label ?? ''),
              ),
            )
          else if (target)
            void attempt(changeListLink(writing, { id: row.id, column }, target, 'add'))
        }}
        cancel={close}
      />
    )
  return (
    <TextEditor
      column={column}
      start={cell.text}
      save={async (text) => {
        if (text === began) close()
        else if (isChangedMeanwhile({ began, now: cell.text, typed: text })) setMine(text)
        else return write(text)
        return undefined
      }}
      cancel={close}
    />
  )
}
