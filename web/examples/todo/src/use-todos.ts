import { type Fields, type Id, WeftError } from '@weft/client'
import { useQuery, useSyncStatus, useWeft } from '@weft/react'
import { useRef, useState } from 'react'

/** A row of the answer in the format NORMAL: texts, as all that is read. */
export interface Todo {
  readonly id: Id
  readonly the_todo: Fields & {
    readonly text: string
    readonly done: 'true' | 'false'
    /** ISO 8601. */
    readonly made: string
  }
}

/** So many are shown, the newest. */
export const most = 1_000

/** The newest todos, the latest first, as far as they are known. */
export function useTodos() {
  const query = { type: 'the_todo', selectors: ['self'], pageSize: most }
  const answer = useQuery<Todo>(query, { format: 'NORMAL' })
  const online = useSyncStatus((sync) => sync.online)
  const asking = useSyncStatus((sync) => sync.online && sync.pending === 0)
  const data = answer.status === 'loading' ? undefined : answer.data
  const here = data?.filter((todo) => todo.the_todo?.made !== undefined)
  const known = answer.status === 'ready' && (answer.complete || !asking)
  return {
    todos: here?.toSorted((a, b) => b.the_todo.made.localeCompare(a.the_todo.made)) ?? [],
    loading: answer.status === 'loading' || (answer.status === 'ready' && !known && !here?.length),
    /** Not without a network: the server may have more. */
    certain: online || (answer.status === 'ready' && answer.complete),
    error: answer.status === 'error' ? answer.error : undefined,
    total: answer.status === 'ready' ? (answer.total ?? 0) : 0,
    refresh: answer.refresh,
  }
}

interface Step {
  readonly said: string
  readonly undo: () => void
}

/** What can be done to todos, and taken back, the last thing first. */
export function useActions() {
  const weft = useWeft()
  const [steps, setSteps] = useState<readonly Step[]>([])
  // A todo that is brought back is another record: who knew the old one is led on.
  const successors = useRef(new Map<Id, Id>()).current
  const now = (id: Id): Id => {
    const next = successors.get(id)
    return next === undefined ? id : now(next)
  }
  const did = (said: string, undo: () => void) => setSteps((all) => [...all, { said, undo }])

  return {
    last: steps.at(-1)?.said,
    add(text: string) {
      const { id } = weft.create('the_todo', { text, done: false, made: new Date().toISOString() })
      did(`Added “${text}”`, () => weft.remove(now(id)))
    },
    change({ id, the_todo }: Todo, fields: { text?: string; done?: boolean }, said: string) {
      const { text, done } = the_todo
      weft.update(id, fields)
      did(said, () => weft.update(now(id), { text, done }))
    },
    remove({ id, the_todo }: Todo) {
      weft.remove(id)
      did(`Removed “${the_todo.text}”`, () => {
        successors.set(id, weft.create('the_todo', the_todo).id)
      })
    },
    undo() {
      const step = steps.at(-1)
      setSteps(steps.slice(0, -1))
      try {
        step?.undo()
      } catch (error) {
        // It was removed in another tab.
        if (!(error instanceof WeftError && error.kind === 'notFound')) throw error
        setSteps([])
      }
    },
  }
}

export type Actions = ReturnType<typeof useActions>
