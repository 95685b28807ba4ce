import type { Client } from '@weft/client'
import { useEffect, useMemo, useReducer } from 'react'
import { mayChange, systemOwner } from '../model/access.ts'
import { useConsole } from '../model/console.tsx'
import type { TypeNames } from '../model/names.ts'
import type { Session } from '../model/session.ts'

/**
 * The permission to change records. Admins may change all records, without a request. For other users, `load` loads the owners
 * of the records, with one request for all.
 */
export class Rights {
  readonly #client: Client
  readonly #session: Session

  constructor(client: Client, session: Session) {
    this.#client = client
    this.#session = session
  }

  /** Reports whether the user may change a record; undefined until its owner is loaded. */
  mayChange(id: number): boolean | undefined {
    if (this.#session.isAdmin) return true
    const owner = this.#client.concept(id)?.owner
    return owner === undefined ? undefined : mayChange(this.#session, owner)
  }

  /** Loads the owners of records. Without a connection they stay unknown; the server checks every change in any case. */
  async load(ids: readonly number[]): Promise<void> {
    const unknown = ids.filter((id) => this.mayChange(id) === undefined)
    await Promise.all(unknown.map((id) => this.#client.get(id))).catch(() => undefined)
  }

  /** Loads the owners of records. Returns why the user may not change one of them; undefined if no obstacle is known. */
  async obstacle(ids: readonly number[], names: TypeNames): Promise<string | undefined> {
    await this.load(ids)
    const first = ids.find((id) => this.mayChange(id) === false)
    return first === undefined ? undefined : this.reason(first, names)
  }

  /** Returns why the user may not change a record. */
  reason(id: number, { one }: TypeNames): string {
    const isOfServer = this.#client.concept(id)?.owner === systemOwner
    return `You can see this ${one.toLowerCase()} but not change it. It ${isOfServer ? 'comes with this server' : 'belongs to another user'}.`
  }
}

/** Returns the permissions of the user, with the owners of these records. The component is rendered again when they are loaded. */
export function useRights(ids: readonly number[]): Rights {
  const { client, session } = useConsole()
  const rights = useMemo(() => new Rights(client, session), [client, session])
  const [, showLoaded] = useReducer((n: number) => n + 1, 0)
  const unknown = ids.filter((id) => rights.mayChange(id) === undefined).join()
  useEffect(() => {
    if (unknown !== '') void rights.load(unknown.split(',').map(Number)).then(showLoaded)
  }, [rights, unknown])
  return rights
}
