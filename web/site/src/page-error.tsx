import { useEffect } from 'react'
import { useOnline } from './use-online.ts'

/** Replaces a page that could not be loaded, and retries when the network is back. */
export function PageError({ retry }: { retry: () => void }) {
  const online = useOnline()
  useEffect(() => {
    document.title = 'Page not loaded | Weft'
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [retry])
  return (
    <main id="content" tabIndex={-1} className="weft-message">
      <h1>This page could not be loaded</h1>
      <p className="lead">
        {online
          ? 'The server did not respond. It may be busy or restarting.'
          : 'You are offline, and this page is not stored in your browser.'}
      </p>
      <p className="actions">
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>{' '}
        <a className="button quiet" href="/">
          Go to the home page
        </a>
      </p>
    </main>
  )
}
