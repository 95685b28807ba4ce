/** What stands where a page or widget is not. The texts are part of the contract. */

export function PleaseWait() {
  return (
    <div className="weft-wait" role="status">
      <span className="weft-spinner" aria-hidden="true" />
      Please Wait...
    </div>
  )
}

export function InvalidPage() {
  return <h4 className="weft-message">Invalid or Page doesn't exist</h4>
}

export function InvalidWidget() {
  return <h4 className="weft-message">Invalid or Widget doesn't exist</h4>
}

export function Failed({ error, retry }: { error: Error; retry?: (() => void) | undefined }) {
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
