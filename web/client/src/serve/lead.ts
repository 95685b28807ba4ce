import { type News, Tabs } from '../sync/tabs.ts'
import { ignore } from '../wire/wait.ts'

/** How long a tab that goes has to let go, in ms. */
const patience = 5_000

/** Does work in the place of the tab that leads, if there is none. The signal says when there is one again. */
export async function lead<T>(
  name: string,
  work: (tell: (news: News) => void, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const over = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn!: (leading: boolean) => void
  const leading = new Promise<boolean>((done) => {
    turn = done
    timer = setTimeout(done, patience, false)
  })
  const tabs = new Tabs<News>(name, {
    hear: ignore,
    missed: ignore,
    lead: (leads) => (leads ? turn(true) : over.abort()),
  })
  try {
    return (await leading) ? await work((news) => tabs.tell(news), over.signal) : undefined
  } finally {
    clearTimeout(timer)
    tabs.close()
  }
}
