import type { Fields } from '../src/composition/value.ts'
import type { Standing } from './agent.ts'
import type { File } from './gateway.ts'
import type { Operation, Told } from './operation.ts'

/** A tab as a trial sees it, wherever it runs. */
export interface Tab {
  readonly name: string
  carryOut(operation: Operation): Promise<void>
  standing(): Promise<Standing>
  shown(): Promise<readonly (Fields | undefined)[] | string>
  refresh(): Promise<void>
  /** Closes it as a user does, who does not wait for anything. */
  close(): Promise<void>
}

/** What happens to the tabs of a trial beside what their users do, by its name in the table. */
export type Accidents = Readonly<Record<string, (desk: Desk) => Promise<void>>>

/** What accidents reach of a trial. */
export interface Desk {
  readonly tabs: Tab[]
  /** Between 0 and 1. */
  readonly dice: () => number
  /** One of a list. */
  one<T>(list: readonly T[]): T
  /** A new tab, in the place of one that is no more, or a copy of another. */
  open(instead?: Tab, copied?: Tab): Promise<void>
  /** A tab began anew. */
  reloaded(tab: Tab): void
  /** Within so many milliseconds, 1,500 unless said otherwise, and before the trial ends. */
  later(work: () => Promise<void> | void, within?: number): void
}

/** Where the tabs of a trial run. */
export interface Form {
  readonly name: 'node' | 'chromium'
  /** True where tabs share a disk, and with it local ids. */
  readonly shared: boolean
  /** What the gateway serves beside the server. */
  readonly files: ReadonlyMap<string, File>
  begin(url: string): Promise<World>
  end(): Promise<void>
}

/** The tabs of one trial. */
export interface World {
  readonly accidents: Accidents
  open(name: string, tell: (told: Told) => void, copied?: Tab): Promise<Tab>
  /** The faults are over: whatever still lasts ends. */
  mend(desk: Pick<Desk, 'tabs' | 'open'>): Promise<void>
  end(): Promise<void>
}
