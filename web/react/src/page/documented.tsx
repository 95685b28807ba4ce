import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { View } from './view.ts'

const DocumentationButton = lazy(() =>
  import('../documentation/button.tsx').then((button) => ({
    default: button.DocumentationButton,
  })),
)

interface DocumentedProps {
  readonly view: View
  /** Origin of the server. */
  readonly url: string
  /** Draws the widget that the operator lets show what is written about the one with this id. */
  readonly show: (by: number, currentWidgetId: string) => ReactNode
}

/** The button that opens what is written about a widget, where there is something. */
export function Documented({ view: { documented }, url, show }: DocumentedProps) {
  const [here, setHere] = useState(false)
  // Not before what the server sent was taken over: that has none.
  useEffect(() => setHere(true), [])
  if (!here || documented === undefined) return null
  return (
    <Suspense>
      <DocumentationButton
        widget={documented}
        url={url}
        show={(by) => show(by, String(documented))}
      />
    </Suspense>
  )
}
