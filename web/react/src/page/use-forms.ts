import { type RefObject, useContext, useLayoutEffect } from 'react'
import { Weft } from '../provider.tsx'
import type { View } from './view.ts'

/**
 * Holds the forms of a view to what the attributes of their fields ask, except those that say `novalidate`.
 * Forms of components in its slots come later and are their own business.
 */
export function useForms(host: RefObject<HTMLElement | null>, view: View): void {
  const client = useContext(Weft)
  useLayoutEffect(() => {
    const forms = Array.from(host.current?.querySelectorAll('form') ?? [])
    const checked = view.tree ? [] : forms.filter(({ noValidate }) => !noValidate)
    if (checked.length === 0) return
    const left = new AbortController()
    const watch = async () => {
      const { takenIn, watchForm } = await import('@weft/client/validate')
      if (left.signal.aborted) return
      const taken = client && takenIn(client)
      const stops = checked.map((form) => watchForm(form, { taken }))
      left.signal.addEventListener('abort', () => {
        for (const stop of stops) stop()
      })
    }
    // Without the rules, which a broken network may keep away, the browser's own hold.
    watch().catch(() => {})
    return () => left.abort()
  }, [host, view, client])
}
