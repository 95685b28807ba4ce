import { lazy, type ReactNode, Suspense, useState } from 'react'
import './button.css'

const Dialog = lazy(() => import('./dialog.tsx').then(({ Dialog }) => ({ default: Dialog })))

export interface DocumentationProps {
  /** The original of a widget, or the widget where it is its own. */
  readonly widget: number
  /** Origin of the server. */
  readonly url: string
  /** Draws the widget that the operator lets show all documentation. Inside a provider only. */
  readonly show: (by: number) => ReactNode
}

/** Opens what is written about a widget, from the top right of the element that it is put into. */
export function DocumentationButton(props: DocumentationProps) {
  const [open, setOpen] = useState(false)
  return (
    <div className="widget-details">
      <button
        type="button"
        className="widget-documentation-btn"
        title="Documentation"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        {...{ 'widget-id': props.widget }}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M5.5 7.5h5M5.5 9.5h5M5.5 11.5h3" />
        </svg>
      </button>
      {open && (
        <Suspense>
          <Dialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
