import { type Pages, useStoredPage } from '@weft/react/page'
import { useEffect } from 'react'
import type { Place } from './place.ts'

/** Where the address ends in `?live`, for those who edit: the page shows what is published as soon as it is. */
export function useEdits({ search }: Place, pages: Pages, slug: string): void {
  const state = useStoredPage(pages, slug)
  const live = new URLSearchParams(search).has('live')
  const ids =
    live && state.status === 'ready' ? [state.page.id, ...state.view.originals].join() : ''
  useEffect(() => {
    if (ids === '') return
    const events = new EventSource(`${pages.url}/api/v1/events?concepts=${ids}`)
    const heard = () => void pages.refresh(slug)
    for (const name of ['ready', 'change', 'reset', 'dropped']) events.addEventListener(name, heard)
    return () => events.close()
  }, [ids, pages, slug])
}
