import type { Id } from '@weft/client'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { ErrorMessage } from '../error-message.tsx'
import { navigate, useSiteLocation } from '../navigation.ts'
import { useRequest } from '../use-request.ts'
import { loadInstances, loadTypes, type Type } from './load-types.ts'
import './types.css'

const TypeGraph = lazy(() =>
  import('./type-graph.tsx').then(({ TypeGraph }) => ({ default: TypeGraph })),
)

/** Shows the types of this store as a tree and as a graph. The query parameter `type` selects one. */
export function BaseTypes() {
  const selectedName = new URLSearchParams(useSiteLocation().search).get('type') ?? ''
  const [additional, setAdditional] = useState<readonly string[]>(
    selectedName === '' ? [] : [selectedName],
  )
  const types = useRequest(`types ${additional}`, () => loadTypes(additional))
  const selectType = (name: string) => {
    if (!additional.includes(name)) setAdditional([...additional, name])
    navigate(`${location.pathname}?${new URLSearchParams({ type: name })}`, 'replace')
  }
  if (types.status === 'loading') return <p className="types-quiet">Loading…</p>
  if (types.status === 'error') return <ErrorMessage error={types.error} retry={types.retry} />
  const selected = types.data.find(({ name }) => name === selectedName)
  return (
    <section className="types-app" aria-label="Types in this store">
      <LookUpForm selectType={selectType} />
      {selectedName !== '' && selected === undefined && (
        <p role="status">This store has no type named “{selectedName}”.</p>
      )}
      <div className="halves">
        <nav className="types-tree" aria-label="Types">
          <Branch
            types={types.data}
            parent={undefined}
            selected={selected}
            selectType={selectType}
          />
        </nav>
        <div className="types-side">
          {selected ? (
            <TypeDetails type={selected} />
          ) : (
            <p className="types-quiet">Select a type to see its instances.</p>
          )}
          <Suspense fallback={<p className="types-quiet">Loading…</p>}>
            <TypeGraph types={types.data} selected={selected} selectType={selectType} />
          </Suspense>
        </div>
      </div>
    </section>
  )
}

function LookUpForm({ selectType }: { selectType: (name: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    if (name !== '') selectType(name.startsWith('the_') ? name : `the_${name}`)
  }
  return (
    <form className="types-look" onSubmit={submit}>
      <label htmlFor="types-name">Look up a type by its name</label>
      <input
        id="types-name"
        className="input"
        name="name"
        autoComplete="off"
        maxLength={255}
        placeholder="the_person"
      />
      <button type="submit" className="button">
        Look up
      </button>
    </form>
  )
}

interface BranchProps {
  readonly types: readonly Type[]
  /** The category whose types are shown; undefined for the root. */
  readonly parent: Id | undefined
  readonly selected: Type | undefined
  readonly selectType: (name: string) => void
}

/** One level of the tree. The root is its own category. */
function Branch({ types, parent, selected, selectType }: BranchProps) {
  const children = types.filter(({ id, category }) =>
    parent === undefined ? id === category : category === parent && id !== category,
  )
  if (children.length === 0) return null
  return (
    <ul>
      {children.map((type) => (
        <li key={type.id}>
          <button
            type="button"
            aria-current={type === selected ? 'true' : undefined}
            onClick={() => selectType(type.name)}
          >
            {type.name} <span className="types-quiet">{type.id}</span>
          </button>
          <Branch types={types} parent={type.id} selected={selected} selectType={selectType} />
        </li>
      ))}
    </ul>
  )
}

function TypeDetails({ type: { id, name, word } }: { type: Type }) {
  const instances = useRequest(`instances ${name}`, () => loadInstances(name))
  return (
    <section className="types-chosen" aria-label={name}>
      <h2>{name}</h2>
      <p className="types-quiet">
        Concept {id}, of type “{word}”.
      </p>
      {instances.status === 'loading' && <p className="types-quiet">Loading…</p>}
      {instances.status === 'error' && (
        <ErrorMessage error={instances.error} retry={instances.retry} />
      )}
      {instances.status === 'ready' && (
        <>
          <p>
            {instances.data.total === 0
              ? 'No instances are visible to you.'
              : `${instances.data.total.toLocaleString('en')} instances. The newest:`}
          </p>
          <ul className="types-samples">
            {instances.data.samples.map(({ id, text }) => (
              <li key={id}>
                {text} <span className="types-quiet">{id}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
