import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { hrefOf, navigate } from '../model/router.ts'

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** An address of the console, such as `/records/the_order`. */
  readonly to: string
  /** Replaces the current entry of the history. */
  readonly replace?: boolean
}

/** A link to a state of the console. A click with a modifier opens a new tab, as with any link. */
export function Link({ to, replace = false, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey)
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    navigate(to, { replace })
  }
  return <a {...rest} href={hrefOf(to)} onClick={follow} />
}
