import type { Slots } from '@weft/react/page'
import { AccountLink } from './account/link.tsx'
import { Part } from './part.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

/**
 * What stands in the placeholders of stored pages, by their ids. An application is loaded once a page
 * has its placeholder.
 */
export const slots: Slots = {
  'theme-toggle': <ThemeToggle />,
  'account-link': <AccountLink />,
  'login-box': <Part load={() => import('./account/login.tsx').then((app) => app.LoginBox)} />,
  'account-box': (
    <Part load={() => import('./account/account.tsx').then((app) => app.AccountBox)} />
  ),
  'contact-form': <Part load={() => import('./contact/form.tsx').then((app) => app.ContactForm)} />,
  'schema-explorer': (
    <Part load={() => import('./schema/app.tsx').then((app) => app.SchemaExplorer)} />
  ),
  'concept-editor': (
    <Part load={() => import('./editor/app.tsx').then((app) => app.ConceptEditor)} />
  ),
  'base-types': <Part load={() => import('./types/app.tsx').then((app) => app.BaseTypes)} />,
  'visit-log': <Part load={() => import('./visits/app.tsx').then((app) => app.VisitLog)} />,
  'document-box': (
    <Part load={() => import('./documents/app.tsx').then((app) => app.DocumentBox)} />
  ),
  'words-browser': <Part load={() => import('./words/app.tsx').then((app) => app.WordsBrowser)} />,
  'try-box': <Part load={() => import('./try/app.tsx').then((app) => app.TryBox)} />,
  'notes-app': <Part load={() => import('./demo/app.tsx').then((app) => app.NotesApp)} />,
}
