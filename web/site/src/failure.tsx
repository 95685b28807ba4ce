/** Says in an application what went wrong, and offers another try, unless the button that failed does. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
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
