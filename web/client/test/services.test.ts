import { expect, test } from 'vitest'
import { adminOf } from '../../e2e/admin.ts'
import { startWeft } from '../../e2e/weft.ts'
import { createClient } from '../src/index.ts'
import { createSiteSession, recordVisit } from '../src/services/index.ts'

test('a site session and its visits are reported', async () => {
  const weft = await startWeft()
  const admin = await adminOf(weft)
  const client = createClient({ url: weft.url, storage: 'memory', token: admin })
  const session = await createSiteSession(client, {
    server_name: 'shop.test',
    http_user_agent: 'a browser',
    email: 'bob@example.org',
  })
  const address = 'http://shop.test/cart?item=1&again=ä'
  const visit = await recordVisit(client, session, address)

  const sessions = await (await client.fetch('/api/logs/sessions')).json()
  expect(sessions).toMatchObject({
    data: [
      {
        id: session,
        server_name: 'shop.test',
        http_user_agent: 'a browser',
        email: 'bob@example.org',
        remote_address: '',
        pages: 1,
      },
    ],
  })
  const pages = await (await client.fetch(`/api/logs/pages?session=${session}`)).json()
  expect(pages).toMatchObject({ data: [{ id: visit, sessionId: session, url: address }] })
})

test("a visit in an unknown session is refused with the server's message", async () => {
  const weft = await startWeft()
  const client = createClient({ url: weft.url, storage: 'memory' })
  await expect(recordVisit(client, 404, 'http://shop.test/')).rejects.toThrow(/404/)
  await weft.kill()
  await expect(createSiteSession(client)).rejects.toMatchObject({ kind: 'unavailable' })
})
