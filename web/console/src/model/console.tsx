import type { Client } from '@weft/client'
import { createContext, useContext, useEffect, useState } from 'react'
import { type Action, Actions } from './actions.ts'
import { client } from './client.ts'
import { type KeyBinding, Keys } from './keys.ts'
import { request } from './request.ts'
import { navigate, setParams } from './router.ts'
import type { Session } from './session.ts'
import { UndoList } from './undo.ts'

/*
 * The contract of a room.
 *
 * A room is a folder of `src` with an `index.tsx` that exports a component named `Room`, which `src/rooms.ts` lists and loads
 * when the room is opened. A room imports from `model` and `parts`, never from the shell or another room. It returns
 *
 *   <Sidebar title="Types">…</Sidebar>   optional
 *   <Main>…</Main>                       everything else
 *
 * and gets the rest from the hooks:
 *
 *   useConsole()       the `Console` below; the same object for all rooms and renders
 *   useLocation()      the address: room, rest of the path, search parameters. Every state has an address
 *   useKeys([...])     keys while the component is mounted; they appear in the sheet of keys
 *   useActions([...])  actions in the palette while the component is mounted
 *   useSummary(text)   the text on the right of the status line, such as "6 cells selected"
 *   useTypes()         the types with counts, names and marks
 *   useSession()       the signed-in user
 *
 * A room first makes a change and then pushes it onto the undo list; a failed change is never pushed. The label of the change
 * becomes the text of the status line. `announce` shows all other messages there. Screen readers read both.
 */
export interface Console {
  readonly client: Client
  readonly session: Session
  readonly isAdmin: boolean
  /** Sends a request as the user; see `request.ts`. */
  readonly request: typeof request
  readonly navigate: typeof navigate
  readonly setParams: typeof setParams
  readonly undo: UndoList
  /** Shows a sentence in the status line. */
  readonly announce: (text: string) => void
  readonly registerKeys: (bindings: readonly KeyBinding[]) => () => void
  readonly registerActions: (actions: readonly Action[]) => () => void
}

/** One part of the status line: its text and its subscribers. */
export class Notice {
  #text = ''
  readonly #listeners = new Set<() => void>()
  readonly get = (): string => this.#text
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  readonly set = (text: string): void => {
    this.#text = text
    for (const listener of this.#listeners) listener()
  }
}

/** The last sentence for the user. */
export const notice = new Notice()
/** The summary on the right of the status line. */
export const summary = new Notice()
export const keys = new Keys()
export const actions = new Actions()
export const undo = new UndoList(notice.set)

const ConsoleContext = createContext<Console | undefined>(undefined)

/** Provides the console of a session to the rooms. */
export function ConsoleProvider({
  session,
  children,
}: {
  session: Session
  children: React.ReactNode
}) {
  const [value, setValue] = useState(() => consoleOf(session))
  if (value.session !== session) setValue(consoleOf(session))
  return <ConsoleContext value={value}>{children}</ConsoleContext>
}

const consoleOf = (session: Session): Console => ({
  client,
  session,
  isAdmin: session.isAdmin,
  request,
  navigate,
  setParams,
  undo,
  announce: notice.set,
  registerKeys: (bindings) => keys.register(bindings),
  registerActions: (list) => actions.register(list),
})

/** Returns the console. */
export function useConsole(): Console {
  const value = useContext(ConsoleContext)
  if (!value) throw new Error('useConsole needs a ConsoleProvider above it')
  return value
}

/** Registers keys while the component is mounted. Pass the same list until a binding changes. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useEffect(() => keys.register(bindings), [bindings])
}

/** Registers actions of the palette while the component is mounted. Pass the same list until an action changes. */
export function useActions(list: readonly Action[]): void {
  useEffect(() => actions.register(list), [list])
}

/** Shows text on the right of the status line while the component is mounted. */
export function useSummary(text: string): void {
  useEffect(() => {
    summary.set(text)
    return () => summary.set('')
  }, [text])
}
