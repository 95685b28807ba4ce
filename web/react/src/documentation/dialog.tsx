import { type ReactNode, Suspense, useEffect, useId, useRef } from 'react'
import { ErrorMessage, PleaseWait } from '../stored/messages.tsx'
import { EntryView } from './entry-view.tsx'
import { type Documentation, useDocumentation } from './use-documentation.ts'
import './dialog.css'

export interface DialogProps {
  /** Id of the original of the widget whose documentation is shown. */
  readonly widget: number
  /** Origin of the server. */
  readonly url: string
  /**
   * Renders the widget that the operator configured to show documentation, by its id. Called only inside a provider.
   */
  readonly renderWidget: (id: number) => ReactNode
  readonly onClose: () => void
}

/** Renders the documentation of a widget as a modal dialog. */
export function Dialog({ widget, url, renderWidget, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const [documentation, retry] = useDocumentation(widget, url)
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  const close = () => dialog.current?.close()
  return (
    <dialog
      ref={dialog}
      className="widget-documentation-preview-modal"
      aria-labelledby={titleId}
      closedby="any"
      onClose={onClose}
    >
      <header>
        <h2 id={titleId}>Documentation</h2>
        <button type="button" className="close" title="Close" onClick={close}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3 3l10 10M13 3L3 13" />
          </svg>
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="documentation-view ck-content" aria-labelledby={titleId} tabIndex={0}>
        <Body documentation={documentation} retry={retry} url={url} renderWidget={renderWidget} />
      </section>
      <footer>
        <button type="button" className="button quiet" onClick={close}>
          Close
        </button>
      </footer>
    </dialog>
  )
}

interface BodyProps extends Pick<DialogProps, 'url' | 'renderWidget'> {
  readonly documentation: Documentation
  readonly retry: () => void
}

function Body({ documentation, retry, url, renderWidget }: BodyProps) {
  switch (documentation.status) {
    case 'loading':
      return <PleaseWait />
    case 'error':
      return <LoadError error={documentation.error} retry={retry} />
    case 'widget':
      return <Suspense fallback={<PleaseWait />}>{renderWidget(documentation.id)}</Suspense>
    case 'ready':
      return documentation.entries.length === 0 ? (
        <p className="weft-message">This widget has no documentation yet.</p>
      ) : (
        documentation.entries.map((entry) => <EntryView key={entry.id} entry={entry} url={url} />)
      )
  }
}

function LoadError({ error, retry }: { error: Error; retry: () => void }) {
  if (navigator.onLine) return <ErrorMessage error={error} retry={retry} />
  return (
    <p className="weft-message" role="alert">
      You are offline. The documentation loads when the connection is back.
    </p>
  )
}
