import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A real mail server on a free port, which keeps what arrives. */
export interface Post {
  /** For `--mail`. */
  readonly url: string
  /** The first letter to somebody that holds a text, as soon as it is there. */
  letter(to: string, holding: string): Promise<string>
}

export async function startPost(cleanUp: (end: () => Promise<void>) => void): Promise<Post> {
  const letters: { to: readonly string[]; text: string }[] = []
  const waiting = new Set<() => void>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        letters.push({ to, text: plain(Buffer.concat(chunks).toString()) })
        done()
        for (const look of waiting) look()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  cleanUp(() => new Promise((closed) => server.close(closed)))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}?tls=none`,
    letter: (to, holding) =>
      new Promise((found) => {
        const look = () => {
          const letter = letters.find((one) => one.to.includes(to) && one.text.includes(holding))
          if (letter === undefined) return
          waiting.delete(look)
          found(letter.text)
        }
        waiting.add(look)
        look()
      }),
  }
}

/**
 * A letter without the quoting that lines of mail need. What only looks quoted, like a boundary
 * that begins with two digits, is read as bytes and never refused.
 */
const plain = (letter: string): string =>
  letter
    .replace(/=\r?\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (codes) =>
      Buffer.from(codes.replaceAll('=', ''), 'hex').toString(),
    )
