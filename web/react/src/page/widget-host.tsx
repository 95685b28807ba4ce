import {
  type ReactNode,
  type RefObject,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { WeftContext } from '../provider.tsx'
import { applyCss } from '../stored/stylesheets.ts'
import type { View } from '../stored/view.ts'
import type { RunningTree } from '../widget/run.ts'
import { serverStyleSelector } from './first-page.ts'
import { useForms } from './use-forms.ts'

/** Components to render inside a stored widget, by the id of their placeholder. */
export type Slots = Readonly<Record<string, ReactNode>>

/** The input and callbacks of a widget's code. */
export interface CodeProps {
  /** Available to the code as `this.data`. Compared by its JSON, so it may be a new object on every render. */
  readonly props?: unknown
  /** Available to the code of trusted widgets as `tsccs`. The default is the client of the provider. */
  readonly tsccs?: object
  /** Called with the values that the main widget passes to `notify`. */
  readonly onNotify?: (value: unknown) => void
  /** Called with every error of the code. The widget also shows the error. */
  readonly onError?: (error: Error) => void
}

interface WidgetHostProps extends CodeProps {
  readonly view: View
  /** Origin of the server. */
  readonly url: string
  readonly slots?: Slots | undefined
  /** Called with the element that contains the view, once it is in the document. */
  readonly onHost?: ((host: HTMLElement) => void) | undefined
}

/** Owns the DOM of one view. React renders around it and into its slots, never inside it. */
export function WidgetHost({ view, url, slots = noSlots, onHost, ...code }: WidgetHostProps) {
  const host = useRef<HTMLDivElement>(null)
  const [slotElements, setSlotElements] = useState<ReadonlyMap<string, Element>>(noElements)
  useCss(view.css)
  useLayoutEffect(() => {
    if (host.current) onHost?.(host.current)
  }, [onHost])
  useLayoutEffect(() => {
    // The code of a widget may redraw its placeholders, so each slot needs an element that the code can move. A static
    // view keeps its placeholders.
    const prepare = view.tree ? insertMovableSlot : clearPlaceholder
    setSlotElements(new Map(Array.from(slotPlaceholders(host.current, slots), prepare)))
  }, [slots, view])
  useForms(host, view)
  useCode(host, view, url, code)
  return (
    <>
      <div
        ref={host}
        data-widget={view.id}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the HTML of a view is sanitised
        dangerouslySetInnerHTML={{ __html: view.html }}
        suppressHydrationWarning
      />
      {Array.from(slotElements, ([id, element]) => createPortal(slots[id], element, id))}
    </>
  )
}

const noSlots: Slots = {}
const noElements = new Map<string, Element>()

/** Yields the placeholder of each slot. Placeholders inside contained (less trusted) widgets are skipped. */
function* slotPlaceholders(host: HTMLElement | null, slots: Slots): Generator<Element> {
  for (const id of Object.keys(slots)) {
    const matching = host?.querySelectorAll(`#${CSS.escape(id)}.added-widget-container`) ?? []
    const placeholder = Array.from(matching).find((element) => !element.closest('[data-contained]'))
    if (placeholder) yield placeholder
  }
}

/**
 * Removes the fallback for visitors without scripts and reserves its height, so that the content below does not move.
 */
function clearPlaceholder(placeholder: Element): [string, Element] {
  if (placeholder instanceof HTMLElement)
    placeholder.style.minBlockSize = `${placeholder.offsetHeight}px`
  placeholder.replaceChildren()
  return [placeholder.id, placeholder]
}

/** Inserts an element for the slot. The widget's code can move this element into a newly drawn placeholder. */
function insertMovableSlot(placeholder: Element): [string, Element] {
  const slot = document.createElement('div')
  slot.setAttribute('data-slot', placeholder.id)
  placeholder.replaceChildren(slot)
  return [placeholder.id, slot]
}

/** The code runner; undefined until the first view with code has loaded it. */
let runner: typeof import('../widget/run.ts') | undefined

/**
 * Runs the code in a view while mounted. When a new view replaces the current one, the code of the new view starts with
 * the state that the widgets of the current view saved.
 */
function useCode(
  host: RefObject<HTMLElement | null>,
  view: View,
  url: string,
  { props, tsccs, onNotify, onError }: CodeProps,
): void {
  const client = useContext(WeftContext)
  const running = useRef<RunningTree>(undefined)
  const savedStates = useRef<ReturnType<RunningTree['stop']>>(new Map())
  const latest = useRef({ props, onNotify, onError })
  useLayoutEffect(() => {
    latest.current = { props, onNotify, onError }
  })
  useLayoutEffect(() => {
    const { tree } = view
    if (tree === undefined) return
    let unmounted = false
    const start = ({ run }: NonNullable<typeof runner>) => {
      if (unmounted || host.current === null) return
      running.current = run(host.current, tree, {
        url,
        client,
        tsccs,
        props: latest.current.props,
        savedStates: savedStates.current,
        onNotify: (value) => latest.current.onNotify?.(value),
        onError: (error) => latest.current.onError?.(error),
      })
    }
    if (runner) start(runner)
    else loadRunner().then(start, (error) => latest.current.onError?.(error))
    return () => {
      unmounted = true
      savedStates.current = running.current?.stop() ?? savedStates.current
      running.current = undefined
    }
  }, [host, view, url, client, tsccs])
  usePropsUpdates(props, () => running.current?.setProps(latest.current.props))
}

async function loadRunner(): Promise<NonNullable<typeof runner>> {
  runner = await import('../widget/run.ts')
  return runner
}

/** Calls `update` after a render in which the JSON of the props has changed. */
function usePropsUpdates(props: unknown, update: () => void): void {
  const latestUpdate = useRef(update)
  useLayoutEffect(() => {
    latestUpdate.current = update
  })
  const propsKey = JSON.stringify(props)
  const appliedKey = useRef(propsKey)
  useLayoutEffect(() => {
    if (appliedKey.current === propsKey) return
    appliedKey.current = propsKey
    latestUpdate.current()
  }, [propsKey])
}

/** Applies CSS to the document while mounted, and removes the style elements of the server-rendered page. */
function useCss(css: string): void {
  useLayoutEffect(() => {
    const removeCss = applyCss(css)
    for (const style of document.querySelectorAll(serverStyleSelector)) style.remove()
    return removeCss
  }, [css])
}
