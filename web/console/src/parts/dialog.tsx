import { type ReactNode, useEffect, useId, useRef } from 'react'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly close: () => void
  readonly children: ReactNode
  /** Class names of the dialog, such as `narrow`. */
  readonly className?: string
  /** Hides the title and the close button, for dialogs that show their own. The title remains the accessible name. */
  readonly isBare?: boolean
}

/** A modal dialog that focuses its first field. Escape or a click outside closes it and returns the focus to where it was. */
export function Dialog({ title, isOpen, close, children, className = '', isBare }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const opener = useRef<Element>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (isOpen && dialog && !dialog.open) {
      opener.current = document.activeElement
      dialog.showModal()
      dialog.querySelector<HTMLElement>('input, select, textarea')?.focus()
    } else if (!isOpen && dialog?.open) dialog.close()
  }, [isOpen])
  // Browsers return the focus when a dialog is closed, but not when it is removed from the page.
  useEffect(() => () => restoreFocus(opener.current), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-labelledby={isBare ? undefined : id}
      aria-label={isBare ? title : undefined}
      onCancel={(event) => {
        // The close event comes later, possibly after the next key, which may open another dialog.
        event.preventDefault()
        close()
      }}
      onClose={() => {
        // The event comes after the change, so the dialog may have been opened again.
        if (ref.current?.open) return
        if (isOpen) close()
        restoreFocus(opener.current)
        opener.current = null
      }}
      onClick={(event) => {
        if (event.target === ref.current) close()
      }}
    >
      {isOpen && (
        <div className="dialog-body">
          {!isBare && (
            <header>
              <h2 id={id}>{title}</h2>
              <button type="button" className="button bare" aria-label="Close" onClick={close}>
                ✕
              </button>
            </header>
          )}
          {children}
        </div>
      )}
    </dialog>
  )
}

/**
 * Focuses `opener`, or the page if `opener` is no longer in the document. Does nothing if another element has the focus, or
 * if the dialog was never opened and so has no `opener`.
 */
function restoreFocus(opener: Element | null): void {
  if (opener === null || document.activeElement !== document.body) return
  const target = opener.isConnected ? opener : document.getElementById('main')
  if (target instanceof HTMLElement) target.focus()
}
