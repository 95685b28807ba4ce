import { createClient } from '@weft/client'
import { boolean, defineSchema, integer, one, text } from '@weft/client/schema'
import {
  useInfiniteQuery,
  useQuery,
  useSuspenseQuery,
  useSyncStatus,
  WeftProvider,
} from '@weft/react'
import { Component, type ReactNode, StrictMode, Suspense, useState } from 'react'
import { createRoot } from 'react-dom/client'

// The functions that tests of typed queries call in the page, through `window.typedFixture`.

const schema = defineSchema({
  contact: {
    name: text().required(),
    age: integer(),
    vip: boolean().default(false),
    company: one('company'),
  },
  company: { name: text().required() },
})

const connect = (url: string) => createClient({ url, schema, storage: 'memory' })
let client: ReturnType<typeof connect>

/** Renders the contacts, with buttons that change the query. */
function draw(url: string): void {
  client = connect(url)
  render(<Contacts />)
}

/**
 * Renders the contacts that match `where` in a Suspense boundary. The error of a malformed `where` reaches the error
 * boundary.
 */
function drawSuspended(url: string, where: object): void {
  client = connect(url)
  render(
    <ErrorBoundary>
      <Suspense fallback={<p>waiting</p>}>
        <Suspended where={where} />
      </Suspense>
    </ErrorBoundary>,
  )
}

function render(content: ReactNode): void {
  const app = document.getElementById('app')
  if (app === null) throw new Error('no #app')
  createRoot(app).render(
    <StrictMode>
      <WeftProvider client={client}>{content}</WeftProvider>
    </StrictMode>,
  )
}

function Contacts() {
  const [shown, setShown] = useState<'vips' | 'all' | 'none'>('vips')
  const query =
    shown === 'none'
      ? null
      : client.find('contact', {
          where: shown === 'vips' ? { vip: true } : {},
          with: { company: true },
          limit: 2,
        })
  const { status, data, isComplete, hasMore, loadMore } = useQuery(query)
  const sync = useSyncStatus(({ state }) => state)
  return (
    <>
      {(['vips', 'all', 'none'] as const).map((name) => (
        <button key={name} type="button" onClick={() => setShown(name)}>
          {name}
        </button>
      ))}
      <button type="button" onClick={() => void loadMore()}>
        more
      </button>
      <output>{`${status} ${isComplete} ${hasMore} ${sync}`}</output>
      <ul>
        {data.map(({ id, name, company }) => (
          <li key={id}>{`${name} ${company?.name ?? '-'}`}</li>
        ))}
      </ul>
    </>
  )
}

/** Renders a list that loads further pages while its end is visible. Two rows do not fill the window. */
function drawEndless(url: string): void {
  client = connect(url)
  render(<Endless />)
}

function Endless() {
  const { data, hasMore, isLoadingMore, endRef } = useInfiniteQuery(
    client.find('contact', { orderBy: { name: 'asc' }, limit: 2 }),
  )
  return (
    <>
      <ul>
        {data.map(({ id, name }) => (
          <li key={id} style={{ height: '40vh' }}>
            {name}
          </li>
        ))}
      </ul>
      <p ref={endRef}>{hasMore || isLoadingMore ? 'more' : 'end'}</p>
    </>
  )
}

function Suspended({ where }: { where: object }) {
  const { status, data } = useSuspenseQuery(client.find('contact', { where }))
  return <p>{`${status} ${data.map(({ name }) => name).join()}`}</p>
}

class ErrorBoundary extends Component<{ readonly children: ReactNode }> {
  override state = { message: '' }
  static getDerivedStateFromError = ({ message }: Error) => ({ message })
  override render() {
    return this.state.message ? <p role="alert">{this.state.message}</p> : this.props.children
  }
}

/** Creates contacts with another client. Resolves when the server has them. */
async function writeElsewhere(url: string, ...contacts: readonly Contact[]): Promise<void> {
  const other = connect(url)
  for (const { name, vip, company } of contacts) {
    const to = company === undefined ? null : other.create('company', { name: company }).id
    await other.create('contact', { name, vip, company: to }).synced
  }
  other.close()
}

interface Contact {
  readonly name: string
  readonly vip?: boolean
  readonly company?: string
}

const create = (name: string): unknown => client.create('contact', { name, vip: true })

const typedFixture = { draw, drawSuspended, drawEndless, writeElsewhere, create }
window.typedFixture = typedFixture

declare global {
  interface Window {
    typedFixture: typeof typedFixture
  }
}
