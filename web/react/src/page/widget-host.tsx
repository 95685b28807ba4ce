import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { serverStyle } from './first-page.ts'
import type { View } from './view.ts'

/** Components to put into a stored widget, by the id of their placeholder. */
export type Slots = Readonly<Record<string, ReactNode>>

/** Owns the DOM of one view. React draws around it and into the slots, never inside. */
export function WidgetHost({ view, slots = none }: { view: View; slots?: Slots | undefined }) {
  const host = useRef<HTMLDivElement>(null)
  const [places, setPlaces] = useState<ReadonlyMap<string, Element>>(nowhere)
  useSheet(view.css)
  useLayoutEffect(() => {
    setPlaces(new Map(Array.from(placeholders(host.current, slots), empty)))
  }, [slots])
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
    const place = host?.querySelector(`#${CSS.escape(id)}.added-widget-container`)
    if (place) yield place
  }
}

/** Takes out what a visitor without scripts sees. */
function empty(place: Element): [string, Element] {
  place.replaceChildren()
  return [place.id, place]
}

/** Applies CSS while mounted. */
function useSheet(css: string): void {
  useLayoutEffect(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
    for (const style of document.querySelectorAll(serverStyle)) style.remove()
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet)
    }
  }, [css])
}
