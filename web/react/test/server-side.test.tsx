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

test('on a server the hooks wait, and ask nobody', () => {
  const weft = createClient({ url: 'http://127.0.0.1:1', storage: 'memory' })
  const html = renderToString(
    <WeftProvider client={weft}>
      <Everything />
    </WeftProvider>,
  )
  weft.close()
  expect(html).toBe('<p>loading loading loading idle nobody</p>')
})

test('hooks outside a provider say what is missing', () => {
  expect(() => renderToString(<Everything />)).toThrow('useWeft outside a <WeftProvider>')
})

function Everything() {
  const states = [useConcept(1), useRecord(-1), useQuery({ type: 'the_note' })]
  const sync = useSyncStatus((status) => status.state)
  const { user = 'nobody' } = useSession()
  return <p>{[...states.map((state) => state.status), sync, user].join(' ')}</p>
}
