import { lazy, Suspense, useState } from 'react'
import type { DialogProps } from './dialog.tsx'
import './button.css'

const Dialog = lazy(() => import('./dialog.tsx').then(({ Dialog }) => ({ default: Dialog })))

export interface DocumentationProps extends Omit<DialogProps, 'onClose'> {
  /** Name of the widget. Screen readers use it to distinguish several buttons. */
  readonly name?: string | undefined
}

/** Renders a button at the top right of its parent element. The button opens the documentation of a widget. */
export function DocumentationButton({ name, ...props }: DocumentationProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="widget-details">
      <button
        type="button"
        className="widget-documentation-btn"
        title="Documentation"
        aria-label={name && `Documentation of ${name}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        {...{ 'widget-id': props.widget }}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M5.5 7.5h5M5.5 9.5h5M5.5 11.5h3" />
        </svg>
      </button>
      {isOpen && (
        <Suspense>
          <Dialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
