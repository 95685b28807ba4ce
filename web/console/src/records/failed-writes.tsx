import { useSyncExternalStore } from 'react'
import { useConsole } from '../model/console.tsx'
import { errorText } from '../model/request.ts'

/**
 * The changes of a record that the server refused, with the reasons. Each is shown until the user sends it again or
 * discards it.
 */
export function FailedWrites({ id }: { id: number }) {
  const { client } = useConsole()
  const { failed } = useSyncExternalStore(client.sync.subscribe, client.sync.get)
  const own = failed.filter((write) => write.id === id || client.realId(write.id) === id)
  return own.map(({ key, error }) => (
    <div key={key} className="note a" role="alert">
      <p>The server refused this change. {errorText(error)} Your other changes are saved.</p>
      <p className="acts">
        <button type="button" className="button quiet" onClick={() => client.sync.retry(key)}>
          Send it again
        </button>
        <button
          type="button"
          className="button quiet"
          onClick={() => void client.sync.discard(key)}
        >
          Discard the change
        </button>
      </p>
    </div>
  ))
}
