import { createClient } from '@weft/client'
import {
  useConcept,
  useQuery,
  useRecord,
  useSession,
  useSyncStatus,
  WeftProvider,
} from '@weft/react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'

test('hooks report loading on a server and send no request', () => {
  const weft = createClient({ url: 'http://127.0.0.1:1', storage: 'memory' })
  const html = renderToString(
    <WeftProvider client={weft}>
      <AllHooks />
    </WeftProvider>,
  )
  weft.close()
  expect(html).toBe('<p>loading loading loading idle guest</p>')
})

test('hooks throw outside a provider', () => {
  expect(() => renderToString(<AllHooks />)).toThrow('useWeft was called outside a <WeftProvider>')
})

function AllHooks() {
  const states = [useConcept(1), useRecord(-1), useQuery({ type: 'the_note' })]
  const sync = useSyncStatus((status) => status.state)
  const { user = 'guest' } = useSession()
  return <p>{[...states.map((state) => state.status), sync, user].join(' ')}</p>
}
