import { type Client, createClient, type Fields, type FieldsInput } from '@weft/client'
import { createAccountClient, keepClientSignedIn } from '@weft/client/account'
import { link, listLinks } from '@weft/client/graph'
import {
  type Loaded,
  useConcept,
  useLive,
  usePending,
  useQuery,
  useRecord,
  useSession,
  useSyncStatus,
  useWeft,
  WeftProvider,
} from '@weft/react'
import {
  createPages,
  readFirstPage,
  StoredPage,
  type StoredPageProps,
  StoredWidget,
} from '@weft/react/page'
import { StrictMode, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'

// The functions that tests of stored pages and of hooks call in the browser, through `window.pageFixture`.

/** Renders a stored page into `#app`, or hydrates the one that the server rendered there. `slots` adds a counter. */
function drawPages(slug: string, slots: 'slots' | 'bare' = 'bare'): void {
  const app = document.getElementById('app')
  if (app === null) throw new Error('no #app')
  const first = readFirstPage(app)
  const pages = createPages(location.origin, first)
  const site = (
    <StrictMode>
      <Site pages={pages} slug={slug} slots={slots === 'slots' ? counterSlot : noSlots} />
    </StrictMode>
  )
  if (first === undefined) createRoot(app).render(site)
  else
    hydrateRoot(app, site, { onRecoverableError: (error) => hydrationErrors.push(String(error)) })
}

function Site({ pages, slug, slots }: StoredPageProps) {
  const [current, setCurrent] = useState(slug)
  showPage = setCurrent
  return <StoredPage pages={pages} slug={current} slots={slots ?? noSlots} />
}

const hydrationErrors: string[] = []
let showPage: (slug: string) => void = () => {}
/** Shows another page of the rendered site. */
const navigate = (slug: string): void => showPage(slug)

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      pressed {count}
    </button>
  )
}

const counterSlot = { place: <Counter /> }
const noSlots = {}

/** Renders one of the `probes`, by default with a new client of the server at `url`. */
function drawHooks(
  url: string,
  probe: keyof typeof probes,
  id = 0,
  weft = createClient({ url, storage: 'memory' }),
): void {
  window.weft = weft
  const Probe = probes[probe]
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  flushSync(() =>
    root.render(
      <StrictMode>
        <WeftProvider client={weft}>
          <Probe id={id} />
        </WeftProvider>
      </StrictMode>,
    ),
  )
}

/** Writes a record with another client. Resolves when it is synced. */
async function writeElsewhere(url: string, type: string, fields: FieldsInput): Promise<void> {
  const other = createClient({ url, storage: 'memory' })
  await other.create(type, fields).synced
  other.close()
}

const readText = (record: Loaded<Fields>) => {
  if (record.status !== 'ready') return record.status
  const { text } = record.data
  return text
}

/** Creates an account client and keeps the client of the page signed in with its session. */
function accountOf(url: string) {
  const account = createAccountClient(url)
  keepClientSignedIn(account, window.weft)
  return account
}

/** Number of calls of the `onSignedOut` callback of `useSession`. */
const signOuts = { count: 0 }

/** Number of renders, by probe. */
const renders = { text: 0 }

/** Components that render the result of one hook as text. */
const probes = {
  concept: function ConceptProbe({ id }: { id: number }) {
    const concept = useConcept(id)
    return <output>{concept.status === 'ready' ? concept.data.value : concept.status}</output>
  },
  record: function RecordProbe({ id }: { id: number }) {
    const record = useRecord(id)
    const pending = usePending(id)
    return <output>{JSON.stringify([record, pending ?? 'synced'])}</output>
  },
  text: function TextProbe({ id }: { id: number }) {
    const text = useRecord(id, readText)
    renders.text++
    return <output>{String(text)}</output>
  },
  query: function QueryProbe() {
    const notes = useQuery<{ id: number }>({ type: 'the_probe', selectors: ['self'] })
    const pending = useSyncStatus((status) => status.pending)
    const found = notes.status === 'loading' ? [] : notes.data
    return <output>{`${notes.status} ${found?.length} ${pending}`}</output>
  },
  session: function SessionProbe() {
    const { user, profile, needsToken } = useSession(() => {
      signOuts.count++
    })
    const token = profile && 'token' in profile
    return (
      <output>{JSON.stringify([user !== undefined, profile?.email, token, needsToken])}</output>
    )
  },
  live: function LiveProbe({ id }: { id: number }) {
    const weft = useWeft()
    const friends = useMemo(() => listLinks(weft, id, 'the_probe_s_friend'), [weft, id])
    const state = useLive(friends)
    return (
      <output>{state.status === 'ready' ? `${state.data.length} friends` : state.status}</output>
    )
  },
  widget: StoredWidget,
}

const pageFixture = {
  drawPages,
  hydrationErrors,
  navigate,
  drawHooks,
  writeElsewhere,
  renders,
  accountOf,
  signOuts,
  link,
}
window.pageFixture = pageFixture

declare global {
  interface Window {
    pageFixture: typeof pageFixture
    weft: Client
  }
}
