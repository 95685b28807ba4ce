import { type Client, createClient, type FieldsInput } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { StoredWidget, type StoredWidgetProps } from '@weft/react/page'
import { Widget } from '@weft/react/widget'
import { StrictMode, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'

// The functions that tests of widget code call in the page, through `window.codeFixture`, and the widgets' messages.

let root: Root | undefined
let weft: Client | undefined

/** Renders a stored widget of the test server, or updates the props of the rendered one. */
function draw(props: StoredWidgetProps, slots: 'slots' | 'bare' = 'bare'): void {
  weft ??= createClient({ url: location.origin, storage: 'memory' })
  root ??= createRoot(document.body.appendChild(document.createElement('main')))
  root.render(
    <StrictMode>
      <WeftProvider client={weft}>
        <StoredWidget
          {...props}
          {...(slots === 'slots' && { slots: withCounter })}
          onNotify={recordNotice}
          onError={recordFailure}
        />
      </WeftProvider>
    </StrictMode>,
  )
}

/** Writes a record as a guest. Resolves when it is synced. */
const write = (type: string, fields: FieldsInput): Promise<unknown> =>
  createClient({ url: location.origin, storage: 'memory' }).create(type, fields).synced

/** Signs a user in, or out with undefined. */
const sign = (token: string | undefined) => weft?.setToken(token)

function unmount(): void {
  root?.unmount()
  root = undefined
}

const notices: unknown[] = []
const recordNotice = (value: unknown) => notices.push(value)
const failures: string[] = []
const recordFailure = (error: Error) => failures.push(error.message)

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      pressed {count}
    </button>
  )
}

const withCounter = { place: <Counter /> }

const codeFixture = { draw, write, sign, unmount, notices, failures, Widget }
window.codeFixture = codeFixture
window.log = []

declare global {
  interface Window {
    codeFixture: typeof codeFixture
    /** Values that widget code records. */
    log: unknown[]
  }
}
