import type { Fields } from '../src/composition/value.ts'
import type { TabStatus } from './agent.ts'
import type { StaticFile } from './gateway.ts'
import type { Operation, Report } from './operation.ts'

/** A tab of a trial, on either platform. */
export interface Tab {
  readonly name: string
  carryOut(operation: Operation): Promise<void>
  status(): Promise<TabStatus>
  shownRecords(): Promise<readonly (Fields | undefined)[] | string>
  refresh(): Promise<void>
  /** Closes the tab immediately, as a user does. */
  close(): Promise<void>
}

/**
 * Accidents, by their name in the table. An accident is an event that happens to tabs, in addition to the operations of
 * users.
 */
export type Accidents = Readonly<Record<string, (context: AccidentContext) => Promise<void>>>

/** The parts of a trial that an accident may use. */
export interface AccidentContext {
  readonly tabs: Tab[]
  /** Returns a random number of the seed, from 0 to 1. */
  readonly random: () => number
  /** Returns a random element. */
  pick<T>(list: readonly T[]): T
  /** Opens a tab: in place of the closed tab `replaced`, or as a copy of the tab `copied`. */
  open(replaced?: Tab, copied?: Tab): Promise<void>
  /** Records that a tab was reloaded. */
  onReloaded(tab: Tab): void
  /** Runs `work` at a random time within the given number of ms, 1,500 by default. The trial waits for it. */
  later(work: () => Promise<void> | void, within?: number): void
}

/** The environment in which the tabs of a trial run. */
export interface Platform {
  readonly name: 'node' | 'chromium'
  /** Whether tabs share a disk, and with it local ids. */
  readonly hasSharedDisk: boolean
  /** Files that the gateway serves in addition to the API of the server. */
  readonly files: ReadonlyMap<string, StaticFile>
  begin(url: string): Promise<TabFactory>
  end(): Promise<void>
}

/** Opens the tabs of one trial. */
export interface TabFactory {
  readonly accidents: Accidents
  open(name: string, report: (report: Report) => void, copied?: Tab): Promise<Tab>
  /** Ends the accidents that are still in effect. */
  repair(context: Pick<AccidentContext, 'tabs' | 'open'>): Promise<void>
  end(): Promise<void>
}
