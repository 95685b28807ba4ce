import { type Pages, useStoredPage } from '@weft/react/page'
import { useEffect } from 'react'
import type { SiteLocation } from './navigation.ts'

/** Reloads the shown page whenever it is published, if the address contains `?live`. For authors of pages. */
export function useLivePreview({ search }: SiteLocation, pages: Pages, slug: string): void {
  const state = useStoredPage(pages, slug)
  const isLive = new URLSearchParams(search).has('live')
  const ids =
    isLive && state.status === 'ready' ? [state.page.id, ...state.view.originalIds].join() : ''
  useEffect(() => {
    if (ids === '') return
    const events = new EventSource(`${pages.url}/api/v1/events?concepts=${ids}`)
    const refresh = () => void pages.refresh(slug)
    for (const name of ['ready', 'change', 'reset', 'dropped'])
      events.addEventListener(name, refresh)
    return () => events.close()
  }, [ids, pages, slug])
}
