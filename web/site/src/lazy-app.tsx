import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'

type LoadComponent = () => Promise<ComponentType>

/** Loads and shows an application inside a page. Offers a retry when its code could not be loaded. */
export function LazyApp({ load }: { load: LoadComponent }) {
  const [App, setApp] = useState(() => lazyComponent(load))
  return (
    <ErrorBoundary key={attempts.get(App)} retry={() => setApp(lazyComponent(load))}>
      <Suspense fallback={<p role="status">Loading…</p>}>
        <App />
      </Suspense>
    </ErrorBoundary>
  )
}

/** Creates a new component for each attempt: React keeps the failure of a lazy component. */
function lazyComponent(load: LoadComponent): ComponentType {
  const App = lazy(async () => ({ default: await load() }))
  attempts.set(App, ++attemptCount)
  return App
}

const attempts = new WeakMap<ComponentType, number>()
let attemptCount = 0

class ErrorBoundary extends Component<{ retry: () => void; children: ReactNode }> {
  override state: { error?: Error } = {}

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <div className="part-failed" role="alert">
        <p>
          {navigator.onLine
            ? `This part of the page failed: ${error.message}`
            : 'You are offline, and this part of the page is not stored in your browser.'}
        </p>
        <button type="button" className="button quiet" onClick={this.props.retry}>
          Try again
        </button>
      </div>
    )
  }
}
