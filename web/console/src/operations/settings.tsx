import { useLoad } from '../model/load.ts'
import { setParams, useLocation } from '../model/router.ts'
import { Listing } from '../parts/listing.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { loadAll, type Setting } from './operations.ts'

const columns: readonly Column<Setting>[] = [
  { name: 'Setting', cell: ({ name }) => <span className="mono whole">{name}</span> },
  { name: 'Value', cell: ({ value }) => code(valueText(value)) },
  { name: 'Source', cell: (row) => <span className="whole">{sourceText(row)}</span> },
  { name: 'Default', cell: (row) => code(row.default) },
  { name: 'What it does', cell: ({ help }) => help },
]

/** Returns the content of a cell; false for an empty text, because phones leave out empty cells. */
const code = (text: string) => text !== '' && <span className="mono setting">{text}</span>

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '').replace(/^""$/, '')

function sourceText({ source, environment, name }: Setting): string {
  if (source === 'environment') return `environment, ${environment}`
  return source === 'flag' ? `flag --${name}` : source
}

/** The settings of the server with the source of each. The console does not change them. */
export function Settings() {
  const { params } = useLocation()
  const text = (params.get('q') ?? '').toLowerCase()
  const isChanged = params.get('only') === 'changed'
  const load = useLoad('/api/admin/settings', loadAll<Setting>)
  const rows = load.data?.rows.filter(
    ({ name, help, source }) =>
      `${name} ${help}`.toLowerCase().includes(text) && (!isChanged || source !== 'default'),
  )
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Settings</h1>
        <SearchField label="Search the settings" text={params.get('q') ?? ''} />
        <select
          className="input filter"
          aria-label="Which settings"
          value={isChanged ? 'changed' : ''}
          onChange={(event) => setParams({ only: event.target.value })}
        >
          <option value="">All</option>
          <option value="changed">Changed ones</option>
        </select>
      </div>
      <div className="page">
        <p className="soft">
          Change a setting at its source: a flag, an environment variable, or the file. The change
          applies after a restart of the server.
        </p>
        <Listing
          label="Settings"
          load={{ ...load, data: rows && { rows, next: '' } }}
          columns={columns}
          keyOf={({ name }) => name}
          empty={<Empty title="No setting matches" />}
        />
      </div>
    </>
  )
}
