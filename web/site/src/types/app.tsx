import type { Id } from '@weft/client'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { Failure } from '../failure.tsx'
import { navigate, usePlace } from '../place.ts'
import { useAsked } from '../use-asked.ts'
import { instancesOf, type Type, typesOf } from './ask.ts'
import './types.css'

const Drawn = lazy(() => import('./drawn.tsx').then(({ Drawn }) => ({ default: Drawn })))

/** The types of this store as a tree, from the fixed concepts up. */
export function BaseTypes() {
  const wanted = new URLSearchParams(usePlace().search).get('type') ?? ''
  const [more, setMore] = useState<readonly string[]>(wanted === '' ? [] : [wanted])
  const types = useAsked(`types ${more}`, () => typesOf(more))
  const look = (name: string) => {
    if (!more.includes(name)) setMore([...more, name])
    navigate(`${location.pathname}?${new URLSearchParams({ type: name })}`, 'replace')
  }
  if (types.status === 'loading') return <p className="types-quiet">Please Wait...</p>
  if (types.status === 'error') return <Failure error={types.error} retry={types.retry} />
  const chosen = types.data.find(({ name }) => name === wanted)
  return (
    <section className="types-app" aria-label="The types of this store">
      <LookUp look={look} />
      {wanted !== '' && chosen === undefined && (
        <p role="status">This store has no type named “{wanted}”.</p>
      )}
      <div className="halves">
        <nav className="types-tree" aria-label="Types">
          <Branch types={types.data} under={undefined} chosen={chosen} look={look} />
        </nav>
        <div className="types-side">
          {chosen ? (
            <Chosen type={chosen} />
          ) : (
            <p className="types-quiet">Choose a type to see how many instances it has.</p>
          )}
          <Suspense fallback={<p className="types-quiet">Please Wait...</p>}>
            <Drawn types={types.data} chosen={chosen} look={look} />
          </Suspense>
        </div>
      </div>
    </section>
  )
}

function LookUp({ look }: { look: (name: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    if (name !== '') look(name.startsWith('the_') ? name : `the_${name}`)
  }
  return (
    <form className="types-look" onSubmit={submit}>
      <label htmlFor="types-name">
        The tree holds the fixed concepts and the types this program knows of. Look up another
      </label>
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
  readonly under: Id | undefined
  readonly chosen: Type | undefined
  readonly look: (name: string) => void
}

/** The root is under itself, and here under nothing. */
function Branch({ types, under, chosen, look }: BranchProps) {
  const here = types.filter(({ id, category }) =>
    under === undefined ? id === category : category === under && id !== category,
  )
  if (here.length === 0) return null
  return (
    <ul>
      {here.map((type) => (
        <li key={type.id}>
          <button
            type="button"
            aria-current={type === chosen ? 'true' : undefined}
            onClick={() => look(type.name)}
          >
            {type.name} <span className="types-quiet">{type.id}</span>
          </button>
          <Branch types={types} under={type.id} chosen={chosen} look={look} />
        </li>
      ))}
    </ul>
  )
}

function Chosen({ type: { id, name, word } }: { type: Type }) {
  const instances = useAsked(`instances ${name}`, () => instancesOf(name))
  return (
    <section className="types-chosen" aria-label={name}>
      <h2>{name}</h2>
      <p className="types-quiet">
        Concept {id}. Its own type is the word “{word}”.
      </p>
      {instances.status === 'loading' && <p className="types-quiet">Please Wait...</p>}
      {instances.status === 'error' && <Failure error={instances.error} retry={instances.retry} />}
      {instances.status === 'ready' && (
        <>
          <p>
            {instances.data.total === 0
              ? 'No instances that you may see.'
              : `${instances.data.total.toLocaleString('en')} instances. The newest:`}
          </p>
          <ul className="types-samples">
            {instances.data.samples.map(({ id, says }) => (
              <li key={id}>
                {says} <span className="types-quiet">{id}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
