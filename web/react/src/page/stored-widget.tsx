import { useCallback, useSyncExternalStore } from 'react'
import { useWeft } from '../provider.tsx'
import { Documented } from './documented.tsx'
import { Failed, InvalidWidget, PleaseWait } from './message.tsx'
import { useNews } from './use-news.ts'
import { type CodeProps, type Slots, WidgetHost } from './widget-host.tsx'
import { type Version, widgetsOf } from './widgets.ts'

export interface StoredWidgetProps extends CodeProps {
  readonly id: number
  /** `fixed` when left out. */
  readonly version?: Version
  /** Components to put into the widget. The same object between renders, or it is searched again. */
  readonly slots?: Slots
  /** False leaves out the button that opens what is written about the widget. */
  readonly showDocumentation?: boolean
}

/** Shows the widget stored under an id, and shows it anew when there is another version of it. */
export function StoredWidget(props: StoredWidgetProps) {
  const { id, version = 'fixed', slots, showDocumentation = true, ...code } = props
  const weft = useWeft()
  const widgets = widgetsOf(weft)
  const key = `${id} ${version}`
  const subscribe = useCallback(
    (changed: () => void) => widgets.subscribe(key, changed),
    [widgets, key],
  )
  const state = useSyncExternalStore(
    subscribe,
    () => widgets.get(key),
    () => widgets.get(key),
  )
  const view = state.status === 'ready' ? state.data : undefined
  useNews(view, () => widgetsOf(weft).refresh(key), id)
  switch (state.status) {
    case 'loading':
      return <PleaseWait />
    case 'missing':
      return <InvalidWidget />
    case 'error':
      return <Failed error={state.error} retry={() => void widgets.load(key)} />
    case 'ready':
      return (
        <>
          <div ref={state.data.tree?.trust === 'trusted' ? undefined : contain}>
            <WidgetHost key={key} view={state.data} url={weft.url} slots={slots} {...code} />
          </div>
          {showDocumentation && <Documented view={state.data} url={weft.url} show={shown} />}
        </>
      )
  }
}

/** The widget that shows what is written about another one. */
const shown = (by: number, currentWidgetId: string) => (
  <StoredWidget id={by} version="latest" props={{ currentWidgetId }} showDocumentation={false} />
)

/** What is not trusted draws over nothing outside of it, whatever its style says. */
function contain(box: HTMLDivElement | null): void {
  box?.style.setProperty('contain', 'layout paint', 'important')
}
