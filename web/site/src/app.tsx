import { type Pages, StoredPage } from '@weft/react/page'
import { lazy, Suspense, useEffect } from 'react'
import { matchRoutes, Route, Routes } from 'react-router'
import { ThemeToggle } from './theme-toggle.tsx'
import { useArrival } from './use-arrival.ts'
import { useInternalLinks } from './use-internal-links.ts'

/** The pages by the slug they are stored under. */
const routes = [
  { path: '/', slug: '/' },
  { path: '/freeschema-data-fabric', slug: '/' },
  { path: '/about', slug: '/about' },
  { path: '/contact', slug: '/contact' },
  { path: '/demo', slug: '/demo' },
  { path: '*', slug: '/404' },
]

/** The slug of the page that an address shows. */
export const slugAt = (pathname: string): string =>
  matchRoutes(routes, pathname)?.at(-1)?.route.slug ?? '/404'

const Notes = lazy(() => import('./demo/app.tsx').then(({ NotesApp }) => ({ default: NotesApp })))

const slots = {
  'theme-toggle': <ThemeToggle />,
  'notes-app': (
    <Suspense fallback={<p role="status">Please Wait...</p>}>
      <Notes />
    </Suspense>
  ),
}

export function App({ pages }: { pages: Pages }) {
  useInternalLinks()
  usePrefetch(pages)
  return (
    <Routes>
      {routes.map(({ path, slug }) => (
        <Route key={path} path={path} element={<Shown pages={pages} slug={slug} />} />
      ))}
    </Routes>
  )
}

function Shown({ pages, slug }: { pages: Pages; slug: string }) {
  useArrival(pages, slug)
  return <StoredPage pages={pages} slug={slug} slots={slots} />
}

/** The other pages are small: they are loaded once this one has come to rest. */
function usePrefetch(pages: Pages): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const slug of new Set(routes.map((route) => route.slug))) void pages.load(slug)
    }, 1500)
    return () => clearTimeout(timer)
  }, [pages])
}
