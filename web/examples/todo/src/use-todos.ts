import { type Fields, type Id, WeftError } from '@weft/client'
import { useQuery, useSyncStatus, useWeft } from '@weft/react'
import { useRef, useState } from 'react'

/** A result row in the format NORMAL. All values are read as strings. */
export interface Todo {
  readonly id: Id
  readonly the_todo: Fields & {
    readonly text: string
    readonly done: 'true' | 'false'
    /** Time of creation in ISO 8601. */
    readonly createdAt: string
  }
}

/** The maximum number of todos shown, newest first. */
export const maxShown = 1_000

/** Returns the newest todos, newest first, and whether the list is complete. */
export function useTodos() {
  const query = { type: 'the_todo', selectors: ['self'], pageSize: maxShown }
  const result = useQuery<Todo>(query, { format: 'NORMAL' })
  const isOnline = useSyncStatus((sync) => sync.online)
  // Online and without pending writes, an incomplete result is still being fetched.
  const isFetching = useSyncStatus((sync) => sync.online && sync.pending === 0)
  const rows = result.status === 'loading' ? undefined : result.data
  // Rows whose fields are not loaded are left out.
  const todos = rows?.filter((todo) => todo.the_todo?.createdAt !== undefined)
  const isSettled = result.status === 'ready' && (result.complete || !isFetching)
  return {
    todos:
      todos?.toSorted((a, b) => b.the_todo.createdAt.localeCompare(a.the_todo.createdAt)) ?? [],
    isLoading:
      result.status === 'loading' || (result.status === 'ready' && !isSettled && !todos?.length),
    /** False if the client is offline and has perhaps loaded only a part of the list. */
    isComplete: isOnline || (result.status === 'ready' && result.complete),
    error: result.status === 'error' ? result.error : undefined,
    total: result.status === 'ready' ? (result.total ?? 0) : 0,
    refresh: result.refresh,
  }
}

interface UndoStep {
  /** The sentence shown next to the Undo button. */
  readonly description: string
  readonly undo: () => void
}

/** Returns functions for the writes of the application. `undo` reverts the last write that has not been reverted. */
export function useActions() {
  const weft = useWeft()
  const [steps, setSteps] = useState<readonly UndoStep[]>([])
  // Undoing a removal creates a new record, but earlier steps still contain the id of the old record. Maps old ids to
  // new ids.
  const replacements = useRef(new Map<Id, Id>()).current
  const currentId = (id: Id): Id => {
    const replacement = replacements.get(id)
    return replacement === undefined ? id : currentId(replacement)
  }
  const addUndoStep = (description: string, undo: () => void) =>
    setSteps((steps) => [...steps, { description, undo }])

  return {
    lastAction: steps.at(-1)?.description,
    add(text: string) {
      const { id } = weft.create('the_todo', {
        text,
        done: false,
        createdAt: new Date().toISOString(),
      })
      addUndoStep(`Added “${text}”`, () => weft.remove(currentId(id)))
    },
    change({ id, the_todo }: Todo, fields: { text?: string; done?: boolean }, description: string) {
      const { text, done } = the_todo
      weft.update(id, fields)
      addUndoStep(description, () => weft.update(currentId(id), { text, done }))
    },
    remove({ id, the_todo }: Todo) {
      weft.remove(id)
      addUndoStep(`Removed “${the_todo.text}”`, () => {
        replacements.set(id, weft.create('the_todo', the_todo).id)
      })
    },
    undo() {
      const step = steps.at(-1)
      setSteps(steps.slice(0, -1))
      try {
        step?.undo()
      } catch (error) {
        // The todo was removed in another tab. Clear the history.
        if (!(error instanceof WeftError && error.kind === 'notFound')) throw error
        setSteps([])
      }
    },
  }
}

export type Actions = ReturnType<typeof useActions>
