import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'

type Load = () => Promise<ComponentType>

/** An application inside a page: waits for its code, and offers another try when that did not come. */
export function Part({ load }: { load: Load }) {
  const [App, setApp] = useState(() => later(load))
  return (
    <Boundary key={attempts.get(App)} retry={() => setApp(later(load))}>
      <Suspense fallback={<p role="status">Please Wait...</p>}>
        <App />
      </Suspense>
    </Boundary>
  )
}

/** A component that is loaded again is another one to React. */
function later(load: Load): ComponentType {
  const App = lazy(async () => ({ default: await load() }))
  attempts.set(App, ++last)
  return App
}

const attempts = new WeakMap<ComponentType, number>()
let last = 0

class Boundary extends Component<{ retry: () => void; children: ReactNode }> {
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
            ? `This part of the page stopped: ${error.message}`
            : 'This part of the page was not kept for reading without a network.'}
        </p>
        <button type="button" className="button quiet" onClick={this.props.retry}>
          Try again
        </button>
      </div>
    )
  }
}
