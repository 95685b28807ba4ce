import { expect, onTestFinished, test } from 'vitest'
import { startPost } from '../../e2e/post.ts'
import { createClient } from '../src/index.ts'
import { sendBulkMail, sendMail, upload } from '../src/services/index.ts'
import { startServer, tokenOf } from './server.ts'

test('a mail arrives with its text, a file and an upload', async () => {
  const { client, letter } = await world()
  const notes = new File(['from a file!'], 'notes.txt', { type: 'text/plain' })
  const { url } = await upload(
    client,
    new File(['from an upload!'], 'u.txt', { type: 'text/plain' }),
  )
  const id = await sendMail(client, {
    toAddress: 'bob@example.org',
    heading: 'With both',
    body: 'Have a look.',
    attachments: [notes, url],
  })
  const came = await letter('bob@example.org', 'Have a look.')
  expect(came).toContain('Subject: With both')
  for (const content of ['from a file!', 'from an upload!'])
    expect(came).toContain(Buffer.from(content).toString('base64'))
  const status = await client.fetch(`/api/mail/${id}`)
  expect(await status.json()).toMatchObject({ id })
})

test('a mail with addresses of uploads alone arrives with them', async () => {
  const { client, letter } = await world()
  const { url } = await upload(client, new File(['attached!'], 'u.txt', { type: 'text/plain' }))
  await sendMail(client, { toAddress: 'bob@example.org', heading: 'Look', attachments: [url] })
  expect(await letter('bob@example.org', 'Subject: Look')).toContain(
    Buffer.from('attached!').toString('base64'),
  )
})

test('a mail to many reaches each, also as a form of a page and with a file', async () => {
  const { client, letter } = await world()
  const to = ['bob@example.org', 'cyd@example.org']
  await sendBulkMail(client, { ccAddresses: to, heading: 'Hello', body: 'all of you' })
  for (const address of to) {
    const came = await letter(address, 'all of you')
    expect(to.filter((one) => came.includes(one))).toEqual([address])
  }
  const plan = new File(['the plan'], 'plan.txt', { type: 'text/plain' })
  await sendBulkMail(client, { ccAddresses: to, heading: 'Plan', attachments: [plan] })
  for (const address of to) expect(await letter(address, 'Subject: Plan')).toContain('plan.txt')

  const form = new FormData()
  form.set('toAddress', 'dan@example.org')
  form.set('heading', 'From a form')
  form.set('body', 'typed in')
  await sendMail(client, form)
  expect(await letter('dan@example.org', 'typed in')).toContain('From a form')
})

test('what the server refuses rejects in its words', async () => {
  const { client } = await world()
  const heading = 'Hello'
  await expect(sendMail(client, { toAddress: 'nobody', heading })).rejects.toThrow(/nobody/)
  client.setToken(undefined)
  await expect(sendMail(client, { toAddress: 'bob@example.org', heading })).rejects.toMatchObject({
    kind: 'unauthorized',
    message: 'only who is signed in sends mail',
  })
  const mailless = createClient({ url: await startServer(), storage: 'memory' })
  const refused = sendBulkMail(mailless, { ccAddresses: ['bob@example.org'], heading })
  await expect(refused).rejects.toMatchObject({ kind: 'unavailable', message: /no mail/ })
})

async function world() {
  const post = await startPost(onTestFinished)
  const url = await startServer(
    '--mail',
    post.url,
    '--mail-from',
    'weft@example.org',
    '--mail-unconfirmed',
  )
  const client = createClient({ url, storage: 'memory', token: await tokenOf(url, 'ann') })
  return { client, letter: post.letter }
}
