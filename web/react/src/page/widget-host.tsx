import {
  type ReactNode,
  type RefObject,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { Weft } from '../provider.tsx'
import type { Running } from '../widget/run.ts'
import { serverStyle } from './first-page.ts'
import { adopt } from './sheet.ts'
import { useForms } from './use-forms.ts'
import type { View } from './view.ts'

/** Components to put into a stored widget, by the id of their placeholder. */
export type Slots = Readonly<Record<string, ReactNode>>

/** What the code of a widget is given, and whom it tells. */
export interface CodeProps {
  /** What the code finds as `this.data`. Compared by what it says, so it may be written in place. */
  readonly props?: unknown
  /** What the code of trusted widgets finds as `tsccs`. The client when left out. */
  readonly tsccs?: object
  readonly onNotify?: (value: unknown) => void
  /** Told of code that failed; the widget itself shows it. */
  readonly onError?: (error: Error) => void
}

interface HostProps extends CodeProps {
  readonly view: View
  /** Origin of the server. */
  readonly url: string
  readonly slots?: Slots | undefined
}

/** Owns the DOM of one view. React draws around it and into the slots, never inside. */
export function WidgetHost({ view, url, slots = none, ...code }: HostProps) {
  const host = useRef<HTMLDivElement>(null)
  const [places, setPlaces] = useState<ReadonlyMap<string, Element>>(nowhere)
  useSheet(view.css)
  useLayoutEffect(() => {
    const make = view.tree ? movable : empty
    setPlaces(new Map(Array.from(placeholders(host.current, slots), make)))
  }, [slots, view])
  useForms(host, view)
  useCode(host, view, url, code)
  return (
    <>
      <div
        ref={host}
        data-widget={view.id}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: a view is sanitised when it is made
        dangerouslySetInnerHTML={{ __html: view.html }}
        suppressHydrationWarning
      />
      {Array.from(places, ([id, place]) => createPortal(slots[id], place, id))}
    </>
  )
}

const none: Slots = {}
const nowhere = new Map<string, Element>()

function* placeholders(host: HTMLElement | null, slots: Slots): Generator<Element> {
  for (const id of Object.keys(slots)) {
    // What is less trusted than what it stands in gets none of them.
    const all = host?.querySelectorAll(`#${CSS.escape(id)}.added-widget-container`) ?? []
    const place = Array.from(all).find((place) => !place.closest('[data-contained]'))
    if (place) yield place
  }
}

/** Takes out what a visitor without scripts sees, and leaves its room: nothing below should move. */
function empty(place: Element): [string, Element] {
  if (place instanceof HTMLElement) place.style.minBlockSize = `${place.offsetHeight}px`
  place.replaceChildren()
  return [place.id, place]
}

/** An element inside the place that code may carry to another one. */
function movable(place: Element): [string, Element] {
  const slot = document.createElement('div')
  slot.setAttribute('data-slot', place.id)
  place.replaceChildren(slot)
  return [place.id, slot]
}

let code: typeof import('../widget/run.ts') | undefined

/** Runs the code in a view while mounted. The next view goes on with what the one before has left. */
function useCode(
  host: RefObject<HTMLElement | null>,
  view: View,
  url: string,
  { props, tsccs, onNotify, onError }: CodeProps,
): void {
  const client = useContext(Weft)
  const running = useRef<Running>(undefined)
  const kept = useRef<ReturnType<Running['stop']>>(new Map())
  const given = useRef({ props, onNotify, onError })
  useLayoutEffect(() => {
    given.current = { props, onNotify, onError }
  })
  useLayoutEffect(() => {
    const { tree } = view
    if (tree === undefined) return
    let left = false
    const start = ({ run }: NonNullable<typeof code>) => {
      if (left || host.current === null) return
      running.current = run(host.current, tree, {
        url,
        client,
        tsccs,
        props: given.current.props,
        kept: kept.current,
        notified: (value) => given.current.onNotify?.(value),
        failed: (error) => given.current.onError?.(error),
      })
    }
    if (code) start(code)
    else
      import('../widget/run.ts').then(
        (loaded) => {
          code = loaded
          start(loaded)
        },
        (error) => given.current.onError?.(error),
      )
    return () => {
      left = true
      kept.current = running.current?.stop() ?? kept.current
      running.current = undefined
    }
  }, [host, view, url, client, tsccs])
  const said = JSON.stringify(props)
  const told = useRef(said)
  useLayoutEffect(() => {
    if (told.current === said) return
    told.current = said
    running.current?.give(given.current.props)
  }, [said])
}

/** Applies CSS while mounted. */
function useSheet(css: string): void {
  useLayoutEffect(() => {
    const release = adopt(css)
    for (const style of document.querySelectorAll(serverStyle)) style.remove()
    return release
  }, [css])
}
