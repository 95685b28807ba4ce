/**
 * Messages that are shown instead of a page or widget. Their wording is part of the wire contract with existing sites
 * and must not change.
 */

export function PleaseWait() {
  return (
    <div className="weft-wait" role="status">
      <span className="weft-spinner" aria-hidden="true" />
      Loading…
    </div>
  )
}

export function InvalidPage() {
  return <h4 className="weft-message">Invalid or Page doesn't exist</h4>
}

export function InvalidWidget() {
  return <h4 className="weft-message">Invalid or Widget doesn't exist</h4>
}

export function ErrorMessage({ error, retry }: { error: Error; retry?: (() => void) | undefined }) {
  return (
    <div className="weft-message" role="alert">
      <p>Error: {error.message}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
