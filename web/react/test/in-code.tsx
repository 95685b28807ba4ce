import { type Client, createClient, type FieldsInput } from '@weft/client'
import { WeftProvider } from '@weft/react'
import { StoredWidget, type StoredWidgetProps } from '@weft/react/page'
import { Widget } from '@weft/react/widget'
import { StrictMode, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'

// What the tests of code call inside the page, through `window.inCode`, and what widgets tell.

let root: Root | undefined
let weft: Client | undefined

/** Draws a stored widget of the server that sent the page, or gives other props to the one that is drawn. */
function draw(props: StoredWidgetProps, slots: 'slots' | 'bare' = 'bare'): void {
  weft ??= createClient({ url: location.origin, storage: 'memory' })
  root ??= createRoot(document.body.appendChild(document.createElement('main')))
  root.render(
    <StrictMode>
      <WeftProvider client={weft}>
        <StoredWidget
          {...props}
          {...(slots === 'slots' && { slots: withCounter })}
          onNotify={told}
          onError={failed}
        />
      </WeftProvider>
    </StrictMode>,
  )
}

/** Writes as any visitor. Resolves when the server has it. */
const write = (type: string, fields: FieldsInput): Promise<unknown> =>
  createClient({ url: location.origin, storage: 'memory' }).create(type, fields).synced

/** Signs somebody in or out. */
const sign = (token: string | undefined) => weft?.setToken(token)

function undraw(): void {
  root?.unmount()
  root = undefined
}

const notices: unknown[] = []
const told = (value: unknown) => notices.push(value)
const failures: string[] = []
const failed = (error: Error) => failures.push(error.message)

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      pressed {count}
    </button>
  )
}

const withCounter = { place: <Counter /> }

const inCode = { draw, write, sign, undraw, notices, failures, Widget }
window.inCode = inCode
window.log = []

declare global {
  interface Window {
    inCode: typeof inCode
    /** What widgets write down. */
    log: unknown[]
  }
}
