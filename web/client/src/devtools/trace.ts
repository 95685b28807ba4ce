import type { Inside } from '../inside.ts'

/** Something that crossed the edge of this page. */
export interface Traced {
  readonly at: number
  /** To the server, or between tabs. */
  readonly where: 'server' | 'tabs'
  readonly what: string
  /** How it ended, and in how many milliseconds; until then empty. */
  result: string
}

/** How much is remembered. */
const most = 200

/** Notes requests, and what the tabs tell each other, without what is in them. Returns what ends it. */
export function trace(inside: Inside, told: () => void): { all: readonly Traced[]; end(): void } {
  const all: Traced[] = []
  const note = (where: Traced['where'], what: string, result = ''): Traced => {
    const traced = { at: Date.now(), where, what, result }
    all.unshift(traced)
    all.length = Math.min(all.length, most)
    told()
    return traced
  }

  const { http } = inside
  const before = http.fetch
  const traced: typeof fetch = async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input, http.url)
    const entry = note('server', `${init?.method ?? 'GET'} ${address.pathname}`)
    const end = (result: string) => {
      entry.result = `${result}, ${Date.now() - entry.at} ms`
      told()
    }
    try {
      const answer = await before(input, init)
      end(String(answer.status))
      return answer
    } catch (error) {
      end(error instanceof Error ? error.name : 'failed')
      throw error
    }
  }
  http.fetch = traced

  const channel = new BroadcastChannel(inside.name)
  channel.onmessage = ({ data }: MessageEvent<unknown>) => note('tabs', wordOf(data))

  return {
    all,
    end() {
      channel.close()
      if (http.fetch === traced) http.fetch = before
    },
  }
}

function wordOf(letter: unknown): string {
  if (typeof letter === 'string') return letter
  const { n, news } = letter as { n?: number; news?: { kind?: string } }
  return `${news?.kind ?? 'changes'} (${n ?? '?'})`
}
