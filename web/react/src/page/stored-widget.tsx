import { useEffect, useState } from 'react'
import { useQuery } from '../use-query.ts'
import { Failed, InvalidWidget, PleaseWait } from './message.tsx'
import { widgetOf, widgetQuery } from './record.ts'
import type { View } from './view.ts'
import { type Slots, WidgetHost } from './widget-host.tsx'

/** Shows the widget stored under an id, and shows it anew when it changes. */
export function StoredWidget({ id, slots }: { id: number; slots?: Slots }) {
  const answer = useQuery(widgetQuery(id), { format: 'DATAID' })
  const entry = answer.status === 'loading' ? undefined : answer.data?.[0]
  const view = useView(entry)
  if (answer.status === 'error' && entry === undefined) {
    return <Failed error={answer.error} retry={() => void answer.refresh()} />
  }
  if (answer.status === 'ready' && entry === undefined) return <InvalidWidget />
  if (view === undefined) return <PleaseWait />
  return <WidgetHost key={view.html} view={view} slots={slots} />
}

/** The view of a record, once the code that makes views is here; the last one while the next is made. */
function useView(entry: unknown): View | undefined {
  const [shown, setShown] = useState<View>()
  useEffect(() => {
    let current = true
    if (entry !== undefined) {
      void import('./view.ts').then(({ view }) => current && setShown(view(widgetOf(entry))))
    }
    return () => {
      current = false
    }
  }, [entry])
  return shown
}
