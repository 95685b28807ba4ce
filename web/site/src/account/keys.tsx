import { Field, FormError, useForm } from '@weft/react/form'
import { useCallback, useEffect, useId, useState } from 'react'
import { Failure } from '../failure.tsx'
import { endKey, type Key, keys, newKey } from './own-keys.ts'

/** Keys for programs: who holds one is the person, as far as the key goes. */
export function Keys() {
  const [all, setAll] = useState<readonly Key[]>()
  const [error, setError] = useState<Error>()
  const [made, setMade] = useState('')
  const load = useCallback(() => {
    setError(undefined)
    keys().then(setAll, setError)
  }, [])
  useEffect(load, [load])
  return (
    <section aria-labelledby="keys-title">
      <h2 id="keys-title">Keys for programs</h2>
      {error && <Failure error={error} retry={load} />}
      {!error && all === undefined && <p>Please Wait...</p>}
      {all?.length === 0 && <p>No program has a key of yours.</p>}
      <ul className="sessions">
        {all?.map(({ id, name, write, used }) => (
          <li key={id}>
            <span>
              <b>{name}</b>
              <span className="hint">
                {write ? 'reads and writes' : 'reads'},{' '}
                {used ? `last used ${used.slice(0, 10)}` : 'never used'}
              </span>
            </span>
            <button
              type="button"
              className="button quiet"
              onClick={() => void endKey(id).then(load, setError)}
            >
              End<span className="unseen"> the key {name}</span>
            </button>
          </li>
        ))}
      </ul>
      <div role="status">
        {made && (
          <p>
            This is the key. It is shown this once: <code className="made">{made}</code>
          </p>
        )}
      </div>
      <NewKey
        done={(key) => {
          setMade(key)
          load()
        }}
      />
    </section>
  )
}

function NewKey({ done }: { done: (key: string) => void }) {
  const id = useId()
  const [write, setWrite] = useState(false)
  const form = useForm({
    fields: { name: { required: true, maxLength: 100 } },
    submit: async ({ name }) => done(await newKey(name.trim(), write)),
  })
  return (
    <form className="fields" {...form.props}>
      <Field form={form} name="name" label="What the key is for" autoComplete="off" />
      <p>
        <input
          id={id}
          type="checkbox"
          checked={write}
          onChange={(event) => setWrite(event.target.checked)}
        />{' '}
        <label htmlFor={id}>It may write, too</label>
      </p>
      <FormError form={form} />
      <p className="actions">
        <button className="button quiet" type="submit" disabled={form.status === 'submitting'}>
          Make a key
        </button>
      </p>
    </form>
  )
}
