import { useState } from 'react'

/** A query that the user can read, copy, or open in the query editor. */
export function ShownQuery({ query }: { query: object }) {
  const [message, setMessage] = useState('')
  const text = JSON.stringify(query, null, 2)
  const copy = () =>
    void navigator.clipboard
      .writeText(text)
      .then(() => setMessage('Copied.'))
      .catch(() => setMessage('The browser did not allow copying.'))
  return (
    <details className="try-query">
      <summary>Query for this question</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section tabIndex={0} className="try-code" aria-label="Query">
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <p className="actions">
        <button type="button" className="button quiet" onClick={copy}>
          Copy
        </button>{' '}
        <a
          className="button quiet"
          href={`/products-schema?${new URLSearchParams({ query: JSON.stringify(query) })}`}
        >
          Open in the query editor
        </a>{' '}
        <span role="status">{message}</span>
      </p>
    </details>
  )
}
