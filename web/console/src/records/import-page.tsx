import { type ChangeEvent, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { countText, numberText } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import { navigate } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Main } from '../parts/frame.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import type { Column } from './columns.ts'
import {
  type ImportPlan,
  type Mapping,
  planImport,
  proposeMapping,
  runImport,
} from './import-rows.ts'
import { typeName } from './new-type.tsx'
import { type ImportTable, readTableFile } from './read-file.ts'
import { useColumns } from './use-columns.ts'

/** Imports a CSV or JSON file: file, columns with a preview, result. */
export function ImportPage({ type }: { type: ConsoleType }) {
  const columns = useColumns(type)
  return (
    <Main label={`Import ${type.names.many.toLowerCase()}`}>
      <div className="import">
        <nav className="crumbs" aria-label="Path">
          <Link className="button bare" to={`/records/${type.name}`}>
            <Icon name="left" /> {type.names.many}
          </Link>
        </nav>
        <h1>Import {type.names.many.toLowerCase()}</h1>
        {columns.status === 'loading' && <Loading />}
        {columns.status === 'error' && <Failed error={columns.error} retry={columns.retry} />}
        {columns.status === 'ready' && <ImportSteps type={type} columns={columns.columns} />}
      </div>
    </Main>
  )
}

interface StepsProps {
  readonly type: ConsoleType
  readonly columns: readonly Column[]
}

function ImportSteps({ type, columns }: StepsProps) {
  const [table, setTable] = useState<ImportTable>()
  const [problem, setProblem] = useState('')
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? []
    if (!file) return
    setProblem('')
    try {
      setTable(readTableFile(new Uint8Array(await file.arrayBuffer()), file.name))
    } catch (error) {
      setTable(undefined)
      setProblem(errorText(error))
    }
  }
  return (
    <>
      <label className="field drop">
        <span>CSV or JSON file</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,.json,.jsonl,text/csv,application/json"
          onChange={choose}
        />
      </label>
      {!table && problem === '' && (
        <p className="soft">
          The first row of a CSV file has the names of the columns. You see the records before they
          are written.
        </p>
      )}
      {problem !== '' && (
        <p className="note a" role="alert">
          {problem} Nothing was imported.
        </p>
      )}
      {table && <Preview key={table.header.join()} type={type} columns={columns} table={table} />}
    </>
  )
}

/** The number of rows in the preview, and of entries in each list of problems. */
const shownRows = 8

function Preview({ type, columns, table }: StepsProps & { readonly table: ImportTable }) {
  const { client, undo, announce } = useConsole()
  const [mapping, setMapping] = useState<Mapping>(() =>
    columns.length > 0
      ? proposeMapping(table.header, columns)
      : table.header.map((name) => newColumn(typeName(name))),
  )
  const [done, setDone] = useState<number>()
  const plan = planImport(table, mapping)
  const run = async () => {
    setDone(0)
    try {
      await runImport({ client, undo }, type.name, plan, setDone)
      announce(`${countText(plan.records.length, type.names)} imported`)
      navigate(`/records/${type.name}`)
    } catch (error) {
      announce(`The import stopped. ${errorText(error)}`)
      setDone(undefined)
    }
  }
  return (
    <>
      <Notes table={table} plan={plan} />
      <MappingTable {...{ table, columns, mapping, setMapping }} />
      <p className="acts">
        <BusyButton
          className="button"
          isBusy={done !== undefined}
          isUnavailable={plan.records.length === 0 || mapping.every((one) => !one)}
          onClick={() => void run()}
        >
          {done === undefined
            ? `Import ${countText(plan.records.length, type.names)}`
            : `${numberText(done)} of ${numberText(plan.records.length)}`}
        </BusyButton>
        <span className="soft">
          The records are private to you. Each batch of 1,000 is one change, which can be undone.
        </span>
      </p>
    </>
  )
}

function Notes({ table, plan }: { table: ImportTable; plan: ImportPlan }) {
  const { ragged } = table
  return (
    <>
      {table.notes.map((note) => (
        <p key={note} className="note c">
          {note}
        </p>
      ))}
      {ragged.length > 0 && (
        <p className="note c">
          {ragged.length === 1 ? 'Row' : 'Rows'}{' '}
          {ragged
            .slice(0, shownRows)
            .map(({ number }) => number)
            .join(', ')}
          {ragged.length > shownRows ? ` and ${numberText(ragged.length - shownRows)} more` : ''}{' '}
          {ragged.length === 1 ? 'has' : 'have'} {ragged[0]?.cells} columns instead of{' '}
          {table.header.length}. They are not imported.
        </p>
      )}
      {plan.bad.length > 0 && (
        <div className="note a">
          <p>{numberText(plan.bad.length)} rows have invalid values and are not imported:</p>
          <ul>
            {plan.bad.slice(0, shownRows).map(({ number, reason }) => (
              <li key={number}>
                Row {number}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

interface MappingProps {
  readonly table: ImportTable
  readonly columns: readonly Column[]
  readonly mapping: Mapping
  readonly setMapping: (mapping: Mapping) => void
}

/** The columns of the file, each with a choice of the field that it fills, and the first rows. */
function MappingTable({ table, columns, mapping, setMapping }: MappingProps) {
  const choose = (i: number, key: string) =>
    setMapping(mapping.with(i, columns.find((column) => column.key === key) ?? newColumn(key)))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section className="table" aria-label="Preview" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may be equal
              <th key={i} scope="col">
                <span>{name}</span>
                <select
                  aria-label={`Field for the column ${name}`}
                  value={mapping[i]?.key ?? ''}
                  onChange={(event) => choose(i, event.target.value)}
                >
                  <option value="">do not import</option>
                  {columns
                    .filter(({ readOnly }) => readOnly === undefined)
                    .map(({ key, label }) => (
                      <option key={key} value={key}>
                        {label}
                      </option>
                    ))}
                  {!columns.some(({ key }) => key === typeName(name)) && (
                    <option value={typeName(name)}>new field {name}</option>
                  )}
                </select>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, shownRows).map((cells, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows may be equal
            <tr key={i}>
              {cells.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells may be equal
                <td key={at}>{cell.slice(0, 80)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function newColumn(key: string): Column | undefined {
  if (key === '') return undefined
  const choices: readonly string[] = []
  return {
    key,
    label: key,
    kind: 'text',
    target: undefined,
    choices,
    isRequired: false,
    readOnly: undefined,
  }
}
