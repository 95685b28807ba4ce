import { Suspense, useEffect, useId, useRef } from 'react'
import { Failed, PleaseWait } from '../page/message.tsx'
import type { DocumentationProps } from './button.tsx'
import { EntryView } from './entry-view.tsx'
import { type Documentation, useDocumentation } from './use-documentation.ts'
import './dialog.css'

interface DialogProps extends DocumentationProps {
  readonly onClose: () => void
}

/** Shows what is written about a widget above the page, until it is closed. */
export function Dialog({ widget, url, show, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const [documentation, again] = useDocumentation(widget, url)
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  const close = () => dialog.current?.close()
  return (
    <dialog
      ref={dialog}
      className="widget-documentation-preview-modal"
      aria-labelledby={title}
      closedby="any"
      onClose={onClose}
    >
      <header>
        <h2 id={title}>Documentation</h2>
        <button type="button" className="close" title="Close" onClick={close}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3 3l10 10M13 3L3 13" />
          </svg>
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className="documentation-view ck-content" aria-labelledby={title} tabIndex={0}>
        <Body documentation={documentation} again={again} url={url} show={show} />
      </section>
      <footer>
        <button type="button" className="button quiet" onClick={close}>
          Close
        </button>
      </footer>
    </dialog>
  )
}

interface BodyProps extends Omit<DocumentationProps, 'widget'> {
  readonly documentation: Documentation
  readonly again: () => void
}

function Body({ documentation, again, url, show }: BodyProps) {
  switch (documentation.status) {
    case 'loading':
      return <PleaseWait />
    case 'error':
      return <NotHere error={documentation.error} again={again} />
    case 'shown':
      return <Suspense fallback={<PleaseWait />}>{show(documentation.by)}</Suspense>
    case 'ready':
      return documentation.entries.length === 0 ? (
        <p className="weft-message">Nothing is written about this widget yet.</p>
      ) : (
        documentation.entries.map((entry) => <EntryView key={entry.id} entry={entry} url={url} />)
      )
  }
}

function NotHere({ error, again }: { error: Error; again: () => void }) {
  if (navigator.onLine) return <Failed error={error} retry={again} />
  return (
    <p className="weft-message" role="alert">
      There is no network. The documentation comes as soon as there is one.
    </p>
  )
}
