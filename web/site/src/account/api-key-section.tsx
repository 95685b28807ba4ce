import { Field, FormError, useForm } from '@weft/react/form'
import { useCallback, useEffect, useId, useState } from 'react'
import { ErrorMessage } from '../error-message.tsx'
import { BusyButton } from '../shared/busy-button.tsx'
import { type ApiKey, createKey, listKeys, revokeKey } from './api-keys.ts'

/** Lists, creates and revokes API keys. */
export function ApiKeySection() {
  const [keys, setKeys] = useState<readonly ApiKey[]>()
  const [error, setError] = useState<Error>()
  const [secret, setSecret] = useState('')
  const load = useCallback(() => {
    setError(undefined)
    listKeys().then(setKeys, setError)
  }, [])
  useEffect(load, [load])
  return (
    <section aria-labelledby="keys-title">
      <h2 id="keys-title">API keys</h2>
      {error && <ErrorMessage error={error} retry={load} />}
      {!error && keys === undefined && <p>Loading…</p>}
      {keys?.length === 0 && <p>You have no API keys.</p>}
      <ul className="sessions">
        {keys?.map((key) => (
          <KeyItem
            key={key.id}
            apiKey={key}
            revoke={() => void revokeKey(key.id).then(load, setError)}
          />
        ))}
      </ul>
      <div role="status">
        {secret && (
          <p>
            This is your new key. It is shown only once: <code className="made">{secret}</code>
          </p>
        )}
      </div>
      <CreateKeyForm
        onCreated={(secret) => {
          setSecret(secret)
          load()
        }}
      />
    </section>
  )
}

function KeyItem({ apiKey, revoke }: { apiKey: ApiKey; revoke: () => void }) {
  const { name, write, used } = apiKey
  return (
    <li>
      <span>
        <b>{name}</b>
        <span className="hint">
          {write ? 'read and write' : 'read only'},{' '}
          {used ? `last used ${used.slice(0, 10)}` : 'never used'}
        </span>
      </span>
      <button type="button" className="button quiet" onClick={revoke}>
        Revoke<span className="unseen"> the key {name}</span>
      </button>
    </li>
  )
}

function CreateKeyForm({ onCreated }: { onCreated: (secret: string) => void }) {
  const id = useId()
  const [write, setWrite] = useState(false)
  const form = useForm({
    fields: { name: { required: true, maxLength: 100 } },
    submit: async ({ name }) => onCreated(await createKey(name.trim(), write)),
  })
  return (
    <form className="fields" {...form.props}>
      <Field form={form} name="name" label="Name of the new key" autoComplete="off" />
      <p>
        <input
          id={id}
          type="checkbox"
          checked={write}
          onChange={(event) => setWrite(event.target.checked)}
        />{' '}
        <label htmlFor={id}>Allow writing</label>
      </p>
      <FormError form={form} />
      <p className="actions">
        <BusyButton className="button quiet" type="submit" isBusy={form.status === 'submitting'}>
          Create key
        </BusyButton>
      </p>
    </form>
  )
}
