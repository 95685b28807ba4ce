import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail server on a free port that stores all received e-mails. */
export interface MailServer {
  /** The value for the flag `--mail`. */
  readonly url: string
  /** Waits for an e-mail to `to` that contains `text`. Returns the first one, decoded. */
  waitForMail(to: string, text: string): Promise<string>
}

/** Starts the server. `cleanUp` receives the function that stops it. */
export async function startMailServer(
  cleanUp: (stop: () => Promise<void>) => void,
): Promise<MailServer> {
  const mails: { to: readonly string[]; text: string }[] = []
  const waiters = new Set<() => void>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ to, text: decodeQuotedPrintable(Buffer.concat(chunks).toString()) })
        done()
        for (const check of waiters) check()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  cleanUp(() => new Promise((closed) => server.close(closed)))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}?tls=none`,
    waitForMail: (to, text) =>
      new Promise((resolve) => {
        const check = () => {
          const mail = mails.find((mail) => mail.to.includes(to) && mail.text.includes(text))
          if (mail === undefined) return
          waiters.delete(check)
          resolve(mail.text)
        }
        waiters.add(check)
        check()
      }),
  }
}

/**
 * Decodes quoted-printable text. Other text that looks like an escape, such as a MIME boundary, is also decoded, which
 * is harmless here.
 */
const decodeQuotedPrintable = (mail: string): string =>
  mail
    .replace(/=\r?\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (codes) =>
      Buffer.from(codes.replaceAll('=', ''), 'hex').toString(),
    )
