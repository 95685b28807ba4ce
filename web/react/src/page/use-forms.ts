import { type RefObject, useContext, useLayoutEffect } from 'react'
import { WeftContext } from '../provider.tsx'
import type { View } from '../stored/view.ts'

/**
 * Validates the forms in a view by the rule attributes of their fields.
 *
 * Skips forms with `novalidate`, views with code (which handles its own forms) and forms in slots (React handles them).
 */
export function useForms(host: RefObject<HTMLElement | null>, view: View): void {
  const client = useContext(WeftContext)
  useLayoutEffect(() => {
    const forms = Array.from(host.current?.querySelectorAll('form') ?? [])
    const checked = view.tree ? [] : forms.filter(({ noValidate }) => !noValidate)
    if (checked.length === 0) return
    const unmounted = new AbortController()
    const watchForms = async () => {
      const { createTakenCheck, watchForm } = await import('@weft/client/validate')
      if (unmounted.signal.aborted) return
      const isTaken = client && createTakenCheck(client)
      const stops = checked.map((form) => watchForm(form, { isTaken }))
      unmounted.signal.addEventListener('abort', () => {
        for (const stop of stops) stop()
      })
    }
    // If the rules cannot be loaded, the browser's own validation remains.
    watchForms().catch(() => {})
    return () => unmounted.abort()
  }, [host, view, client])
}
