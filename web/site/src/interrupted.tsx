import { useEffect } from 'react'
import { useOnline } from './use-online.ts'

/** Stands where a page could not be loaded, and tries again when the network is back. */
export function Interrupted({ retry }: { retry: () => void }) {
  const online = useOnline()
  useEffect(() => {
    document.title = 'No answer: Weft'
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [retry])
  return (
    <main id="content" tabIndex={-1} className="weft-message">
      <h1>The thread broke</h1>
      <p className="lead">
        {online
          ? 'The server did not give this page. It may be busy, or on its way back.'
          : 'There is no network, and this page was not kept from an earlier visit.'}
      </p>
      <p className="actions">
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>{' '}
        <a className="button quiet" href="/">
          To the start
        </a>
      </p>
    </main>
  )
}
