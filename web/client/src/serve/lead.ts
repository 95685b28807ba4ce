import { randomNumber } from '../store/local-ids.ts'
import type { Letter, News } from '../sync/tabs.ts'

/**
 * Does work in the place of the tab that leads, if there is none, or it goes within a patience in ms. The signal says
 * when one is there again, and waits for what is under way. Resolves with undefined when a tab leads all along.
 */
export async function lead<T>(
  name: string,
  patience: number,
  work: (tell: (news: News) => void, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const channel = new BroadcastChannel(name)
  const over = new AbortController()
  channel.onmessage = ({ data }: MessageEvent<Letter<News>>) => data === 'ping' && over.abort()
  const from = randomNumber()
  let n = 0
  const tell = (news: News) => channel.postMessage({ from, n: ++n, news } satisfies Letter<News>)
  let working: Promise<T> | undefined
  const stop = (): undefined => {
    over.abort()
  }
  const start = (lock: Lock | null) => {
    if (lock) working = work(tell, over.signal)
    return working
  }
  const waiting = patience > 0 ? { signal: AbortSignal.timeout(patience) } : { ifAvailable: true }
  // A tab that does not want to wait takes the lock: then what is under way comes to its end first.
  const done = navigator.locks.request(name, waiting, start).catch(stop)
  try {
    return (await done) ?? (await working)
  } finally {
    channel.close()
  }
}
