import { useCallback, useEffect, useRef, useState } from 'react'
import { setParams, useLocation } from '../model/router.ts'
import { type Item, readPageTree, type WidgetTree } from './api.ts'

/** The widths of the preview, in CSS pixels. */
const widths = [390, 768, 1280] as const
/** The maximum number of pages that are searched for a widget. */
const maxSearched = 40

/** The real page with the edited widget in it, at one of three widths. */
export function Preview({
  name,
  root,
  pages,
  tree,
}: {
  readonly name: string
  readonly root: number
  readonly pages: readonly Item[]
  /** The edited widget; undefined before the server has prepared it. */
  readonly tree: WidgetTree | undefined
}) {
  const { params } = useLocation()
  const width = widths.find((one) => String(one) === params.get('w')) ?? 768
  const page = usePageOf(name, root, pages)
  const [isReady, setReady] = useState(false)
  const [scale, measure] = useScale(width)
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && origin === location.origin)
        setReady(data?.preview === 'ready')
    }
    window.addEventListener('message', onMessage)
    return () => window.removeEventListener('message', onMessage)
  }, [])
  useEffect(() => {
    if (!isReady || !tree || !page) return
    const message = { preview: 'widget', root, widget: tree, isBody: page.isBody }
    frame.current?.contentWindow?.postMessage(message, location.origin)
  }, [isReady, tree, root, page])
  return (
    <section className="content-preview" aria-label="Preview">
      <div className="content-widths" role="toolbar" aria-label="Width of the preview">
        {widths.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === width}
            onClick={() => setParams({ w: String(one) })}
          >
            {one}
          </button>
        ))}
        <span className="soft">{page && `on ${page.slug}`}</span>
      </div>
      <div className="content-frame" ref={measure}>
        {page && (
          <iframe
            ref={frame}
            title={`Preview at ${width} pixels`}
            src={`${page.slug}?preview`}
            style={{
              inlineSize: `${width}px`,
              blockSize: `${100 / scale}%`,
              transform: `scale(${scale})`,
            }}
          />
        )}
      </div>
    </section>
  )
}

/** Returns the scale at which a page of this width fits, and a ref callback that measures the place of the frame. */
function useScale(width: number): readonly [number, (place: HTMLElement | null) => void] {
  const [available, setAvailable] = useState(width)
  const measure = useCallback((place: HTMLElement | null) => {
    if (!place) return
    const observer = new ResizeObserver(() => setAvailable(place.clientWidth))
    observer.observe(place)
  }, [])
  return [Math.min(1, available / width), measure]
}

interface PageOf {
  readonly slug: string
  /** Whether the preview shows the widget in place of the body of this page. True if no page contains the widget. */
  readonly isBody: boolean
}

/**
 * Returns a page whose body is the widget or contains it. If there is none, returns the page for missing addresses. Returns
 * undefined during the search.
 */
function usePageOf(name: string, root: number, pages: readonly Item[]): PageOf | undefined {
  const [page, setPage] = useState<PageOf>()
  const slugs = pages
    .flatMap(({ slug }) => slug ?? [])
    .slice(0, maxSearched)
    .join()
  const own = pages.find(({ body }) => body === name)?.slug
  useEffect(() => {
    if (own !== undefined) return setPage({ slug: own, isBody: false })
    let isCurrent = true
    void firstPageWith(root, slugs.split(',').filter(Boolean)).then(
      (slug) => isCurrent && setPage({ slug: slug ?? '/404', isBody: slug === undefined }),
    )
    return () => {
      isCurrent = false
    }
  }, [own, root, slugs])
  return page
}

async function firstPageWith(root: number, slugs: readonly string[]): Promise<string | undefined> {
  for (const slug of slugs) {
    const tree = await readPageTree(slug).catch(() => null)
    if (tree && contains(tree, root)) return slug
  }
  return undefined
}

const contains = (tree: WidgetTree, root: number): boolean =>
  (tree.root || tree.id) === root ||
  (tree.children ?? []).some(({ widget }) => contains(widget, root))
