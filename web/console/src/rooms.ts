import type { RoomEntry } from './shell/room.ts'

/**
 * The rooms, which are the main parts of the console, in the order of the bar. Each is loaded when it is opened; its file exports
 * a component named `Room`.
 */
export const rooms: readonly RoomEntry[] = [
  {
    id: 'records',
    label: 'Records',
    icon: 'records',
    key: 'r',
    audience: 'users',
    load: () => import('./records/index.tsx'),
  },
  {
    id: 'graph',
    label: 'Graph',
    icon: 'graph',
    key: 'g',
    audience: 'users',
    load: () => import('./graph/index.tsx'),
  },
  {
    id: 'ask',
    label: 'Ask',
    icon: 'ask',
    key: 'a',
    audience: 'users',
    load: () => import('./ask/index.tsx'),
  },
  {
    id: 'schema',
    label: 'Schema',
    icon: 'schema',
    key: 's',
    audience: 'users',
    load: () => import('./schema/index.tsx'),
  },
  {
    id: 'content',
    label: 'Content',
    icon: 'content',
    key: 'c',
    audience: 'users',
    load: () => import('./content/index.tsx'),
  },
  {
    id: 'people',
    label: 'People',
    icon: 'people',
    key: 'p',
    audience: 'users',
    startsGroup: true,
    load: () => import('./people/index.tsx'),
  },
  {
    id: 'operations',
    label: 'Operations',
    icon: 'operation',
    key: 'o',
    audience: 'admins',
    load: () => import('./operations/index.tsx'),
  },
  {
    id: 'api',
    label: 'API',
    icon: 'api',
    key: 'i',
    audience: 'users',
    load: () => import('./api/index.tsx'),
  },
]
