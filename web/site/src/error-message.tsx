interface ErrorMessageProps {
  readonly error: Error
  /** Adds a button that tries again. Not needed if the original button is still visible. */
  readonly retry?: () => void
}

/** Shows an error inside an application. */
export function ErrorMessage({ error, retry }: ErrorMessageProps) {
  return (
    <p role="alert">
      Error: {error.message}{' '}
      {retry && (
        <button type="button" className="plain" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  )
}
