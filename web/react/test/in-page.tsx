import { type Client, createClient, type Fields, type FieldsInput } from '@weft/client'
import { createAccount, keepSigned } from '@weft/client/account'
import { link, links } from '@weft/client/graph'
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
  firstPage,
  StoredPage,
  type StoredPageProps,
  StoredWidget,
} from '@weft/react/page'
import { StrictMode, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'

// What the tests call inside the page, through `window.inPage`.

/** Draws stored pages into `#app`, over what the server sent if it sent any. Returns a way to move on. */
function drawPages(slug: string, slots: 'slots' | 'bare' = 'bare'): void {
  const app = document.getElementById('app')
  if (app === null) throw new Error('no #app')
  const first = firstPage(app)
  const pages = createPages(location.origin, first)
  const site = (
    <StrictMode>
      <Site pages={pages} slug={slug} slots={slots === 'slots' ? withCounter : none} />
    </StrictMode>
  )
  if (first === undefined) createRoot(app).render(site)
  else hydrateRoot(app, site, { onRecoverableError: (error) => complaints.push(String(error)) })
}

function Site({ pages, slug, slots }: StoredPageProps) {
  const [at, setAt] = useState(slug)
  go = setAt
  return <StoredPage pages={pages} slug={at} slots={slots ?? none} />
}

const complaints: string[] = []
let go: (slug: string) => void = () => {}
const moveTo = (slug: string): void => go(slug)

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      pressed {count}
    </button>
  )
}

const withCounter = { place: <Counter /> }
const none = {}

/** Draws one probe of the hooks on a client of that server. */
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

/** Writes as another visitor would. Resolves when the server has it. */
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

/** An account that signs the client of the page in and out. */
function accountOf(url: string) {
  const account = createAccount(url)
  keepSigned(account, window.weft)
  return account
}

/** How often `useSession` told that somebody went. */
const farewells = { count: 0 }

/** How often each probe was drawn. */
const draws = { text: 0 }

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
    draws.text++
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
      farewells.count++
    })
    const token = profile && 'token' in profile
    return (
      <output>{JSON.stringify([user !== undefined, profile?.email, token, needsToken])}</output>
    )
  },
  live: function LiveProbe({ id }: { id: number }) {
    const weft = useWeft()
    const friends = useMemo(() => links(weft, id, 'the_probe_s_friend'), [weft, id])
    const state = useLive(friends)
    return (
      <output>{state.status === 'ready' ? `${state.data.length} friends` : state.status}</output>
    )
  },
  widget: StoredWidget,
}

const inPage = {
  drawPages,
  complaints,
  moveTo,
  drawHooks,
  writeElsewhere,
  draws,
  accountOf,
  farewells,
  link,
}
window.inPage = inPage

declare global {
  interface Window {
    inPage: typeof inPage
    weft: Client
  }
}
