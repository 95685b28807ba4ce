import type { Slots } from '@weft/react/page'
import { AccountLink } from './account/account-link.tsx'
import { LazyApp } from './lazy-app.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

/** The components for the placeholders of stored pages, by element id. Applications are loaded on demand. */
export const slots: Slots = {
  'theme-toggle': <ThemeToggle />,
  'account-link': <AccountLink />,
  'login-box': <LazyApp load={() => import('./account/login.tsx').then((app) => app.LoginBox)} />,
  'account-box': (
    <LazyApp load={() => import('./account/account.tsx').then((app) => app.AccountBox)} />
  ),
  'contact-form': (
    <LazyApp load={() => import('./contact/form.tsx').then((app) => app.ContactForm)} />
  ),
  'schema-explorer': (
    <LazyApp load={() => import('./schema/app.tsx').then((app) => app.SchemaExplorer)} />
  ),
  'concept-editor': (
    <LazyApp load={() => import('./editor/app.tsx').then((app) => app.ConceptEditor)} />
  ),
  'base-types': <LazyApp load={() => import('./types/app.tsx').then((app) => app.BaseTypes)} />,
  'visit-log': <LazyApp load={() => import('./visits/app.tsx').then((app) => app.VisitLog)} />,
  'document-box': (
    <LazyApp load={() => import('./documents/app.tsx').then((app) => app.DocumentBox)} />
  ),
  'words-browser': (
    <LazyApp load={() => import('./words/app.tsx').then((app) => app.WordsBrowser)} />
  ),
  'try-box': <LazyApp load={() => import('./try/app.tsx').then((app) => app.TryBox)} />,
  'notes-app': <LazyApp load={() => import('./demo/app.tsx').then((app) => app.NotesApp)} />,
}
