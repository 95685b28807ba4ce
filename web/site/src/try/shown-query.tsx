import { useState } from 'react'

/** A query to look at, take along, or open in the workbench for queries. */
export function ShownQuery({ query }: { query: object }) {
  const [said, setSaid] = useState('')
  const text = JSON.stringify(query, null, 2)
  const copy = () =>
    void navigator.clipboard
      .writeText(text)
      .then(() => setSaid('Copied.'))
      .catch(() => setSaid('The browser did not let it be copied.'))
  return (
    <details className="try-query">
      <summary>The query it became</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section tabIndex={0} className="try-code" aria-label="The query">
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
          Open it among the schemas
        </a>{' '}
        <span role="status">{said}</span>
      </p>
    </details>
  )
}
