import type { ReactNode } from 'react'
import type { ThreadStyle } from '../model/types.ts'

/** The mark of a type: a short line in its colour and pattern. The name of the type is always next to it. */
export function ThreadMark({ mark }: { mark: ThreadStyle }) {
  return <span className={`thread ${mark.dye} ${mark.pattern}`} aria-hidden="true" />
}

/** A link to another record: a ring in the colour of its type, and its name. */
export function LinkRing({ mark, children }: { mark: ThreadStyle; children: ReactNode }) {
  return (
    <span className={`ring ${mark.dye}`}>
      <span>{children}</span>
    </span>
  )
}
