import { useCallback, useState, useSyncExternalStore } from 'react'
import { useWeft } from '../provider.tsx'
import { ErrorMessage, InvalidWidget, PleaseWait } from '../stored/messages.tsx'
import { LazyDocumentation } from './lazy-documentation.tsx'
import { useRefetchOnChange } from './use-refetch-on-change.ts'
import { type WidgetVersion, widgetCacheOf } from './widget-cache.ts'
import { type CodeProps, type Slots, WidgetHost } from './widget-host.tsx'

export interface StoredWidgetProps extends CodeProps {
  readonly id: number
  /** `fixed` when left out. */
  readonly version?: WidgetVersion
  /**
   * Components to render inside the widget. Pass the same object on every render: for a new one, the placeholders are
   * looked up again.
   */
  readonly slots?: Slots
  /** False hides the button that opens the documentation of the widget. True when left out. */
  readonly showDocumentation?: boolean
}

/** Renders the widget stored under an id, and renders it again when another version of it appears. */
export function StoredWidget(props: StoredWidgetProps) {
  const { id, version = 'fixed', slots, showDocumentation = true, ...code } = props
  const weft = useWeft()
  const [host, setHost] = useState<HTMLElement>()
  const widgets = widgetCacheOf(weft)
  const key = `${id} ${version}`
  const subscribe = useCallback(
    (onChange: () => void) => widgets.subscribe(key, onChange),
    [widgets, key],
  )
  const getState = () => widgets.get(key)
  const state = useSyncExternalStore(subscribe, getState, getState)
  const view = state.status === 'ready' ? state.data : undefined
  useRefetchOnChange(view, () => widgetCacheOf(weft).refresh(key), id)
  switch (state.status) {
    case 'loading':
      return <PleaseWait />
    case 'missing':
      return <InvalidWidget />
    case 'error':
      return <ErrorMessage error={state.error} retry={() => void widgets.load(key)} />
    case 'ready':
      return (
        <>
          <div ref={state.data.tree?.trust === 'trusted' ? undefined : containPaint}>
            <WidgetHost
              key={key}
              view={state.data}
              url={weft.url}
              slots={slots}
              onHost={setHost}
              {...code}
            />
          </div>
          {showDocumentation && (
            <LazyDocumentation view={state.data} host={host} url={weft.url} Widget={StoredWidget} />
          )}
        </>
      )
  }
}

/** Keeps a widget that is not trusted from painting outside its box, whatever its CSS says. */
function containPaint(box: HTMLDivElement | null): void {
  box?.style.setProperty('contain', 'layout paint', 'important')
}
