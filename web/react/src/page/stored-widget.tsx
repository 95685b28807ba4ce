import { useCallback, useState, useSyncExternalStore } from 'react'
import { useWeft } from '../provider.tsx'
import { ErrorMessage, InvalidWidget, PleaseWait } from '../stored/messages.tsx'
import { LazyDocumentation } from './lazy-documentation.tsx'
import { useRefetchOnChange } from './use-refetch-on-change.ts'
import { type WidgetVersion, widgetCacheOf } from './widget-cache.ts'
import { type CodeProps, type Slots, WidgetHost } from './widget-host.tsx'

export interface StoredWidgetProps extends CodeProps {
  readonly id: number
  /** Default: `fixed`. */
  readonly version?: WidgetVersion
  /**
   * Components to render inside the widget. Pass the same object on every render, because the placeholders are looked
   * up again for a new object.
   */
  readonly slots?: Slots
  /** False hides the button that opens the documentation of the widget. Default: true. */
  readonly showDocumentation?: boolean
}

/** Renders the widget with the given id, and renders it again when it has another version. */
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

/** Prevents a widget that is not trusted from painting outside its box, regardless of its CSS. */
function containPaint(box: HTMLDivElement | null): void {
  box?.style.setProperty('contain', 'layout paint', 'important')
}
