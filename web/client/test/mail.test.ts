import { expect, onTestFinished, test } from 'vitest'
import { startMailServer } from '../../e2e/mail-server.ts'
import { createClient } from '../src/index.ts'
import { sendBulkMail, sendMail, uploadFile } from '../src/services/index.ts'
import { startServer, tokenOf } from './server.ts'

test('a mail arrives with its text, a file and an upload', async () => {
  const { client, waitForMail } = await setUp()
  const notes = new File(['from a file!'], 'notes.txt', { type: 'text/plain' })
  const { url } = await uploadFile(
    client,
    new File(['from an upload!'], 'u.txt', { type: 'text/plain' }),
  )
  const id = await sendMail(client, {
    toAddress: 'bob@example.org',
    heading: 'With both',
    body: 'Have a look.',
    attachments: [notes, url],
  })
  const mail = await waitForMail('bob@example.org', 'Have a look.')
  expect(mail).toContain('Subject: With both')
  for (const content of ['from a file!', 'from an upload!'])
    expect(mail).toContain(Buffer.from(content).toString('base64'))
  const stored = await client.fetch(`/api/mail/${id}`)
  expect(await stored.json()).toMatchObject({ id })
})

test('a mail whose attachments are all uploads arrives with them', async () => {
  const { client, waitForMail } = await setUp()
  const { url } = await uploadFile(client, new File(['attached!'], 'u.txt', { type: 'text/plain' }))
  await sendMail(client, { toAddress: 'bob@example.org', heading: 'Look', attachments: [url] })
  expect(await waitForMail('bob@example.org', 'Subject: Look')).toContain(
    Buffer.from('attached!').toString('base64'),
  )
})

test('a bulk mail reaches each address, with or without a file, and a mail can be sent as a form', async () => {
  const { client, waitForMail } = await setUp()
  const to = ['bob@example.org', 'cyd@example.org']
  await sendBulkMail(client, { ccAddresses: to, heading: 'Hello', body: 'all of you' })
  for (const address of to) {
    const mail = await waitForMail(address, 'all of you')
    expect(to.filter((recipient) => mail.includes(recipient))).toEqual([address])
  }
  const plan = new File(['the plan'], 'plan.txt', { type: 'text/plain' })
  await sendBulkMail(client, { ccAddresses: to, heading: 'Plan', attachments: [plan] })
  for (const address of to)
    expect(await waitForMail(address, 'Subject: Plan')).toContain('plan.txt')

  const form = new FormData()
  form.set('toAddress', 'dan@example.org')
  form.set('heading', 'From a form')
  form.set('body', 'typed in')
  await sendMail(client, form)
  expect(await waitForMail('dan@example.org', 'typed in')).toContain('From a form')
})

test("errors have the server's message", async () => {
  const { client } = await setUp()
  const heading = 'Hello'
  await expect(sendMail(client, { toAddress: 'nobody', heading })).rejects.toThrow(/nobody/)
  client.setToken(undefined)
  await expect(sendMail(client, { toAddress: 'bob@example.org', heading })).rejects.toMatchObject({
    kind: 'unauthorized',
    message: 'only users who are signed in may send mail',
  })
  const mailless = createClient({ url: await startServer(), storage: 'memory' })
  const refused = sendBulkMail(mailless, { ccAddresses: ['bob@example.org'], heading })
  await expect(refused).rejects.toMatchObject({ kind: 'unavailable', message: /no mail/ })
})

async function setUp() {
  const mailServer = await startMailServer(onTestFinished)
  const url = await startServer(
    '--mail',
    mailServer.url,
    '--mail-from',
    'weft@example.org',
    '--mail-unconfirmed',
  )
  const client = createClient({ url, storage: 'memory', token: await tokenOf(url, 'ann') })
  return { client, waitForMail: mailServer.waitForMail }
}
