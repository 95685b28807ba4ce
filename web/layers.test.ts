import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

// The map of the browser's house: a folder may import itself and what stands behind its name.
// Folders inside a package are named package/folder.
const layers: Record<string, string[]> = {
  'client/graph': [],
  'client/composition': ['client/graph'],
  'client/query': ['client/graph', 'client/composition'],
  'client/validate': ['client', 'client/graph'],
  'client/wire': ['client/graph', 'client/query'],
  'client/local': ['client/graph', 'client/composition'],
  'client/store': ['client/graph', 'client/composition', 'client/query'],
  'client/sync': [
    'client/graph',
    'client/composition',
    'client/local',
    'client/wire',
    'client/store',
  ],
  'client/live': [
    'client/graph',
    'client/local',
    'client/query',
    'client/wire',
    'client/composition',
    'client/store',
    'client/sync',
  ],
  'client/devtools': ['client', 'client/graph', 'client/composition', 'client/writes'],
  'client/account': ['client', 'client/graph'],
  'client/logger': ['client', 'client/wire'],
  'client/monitor': ['client/logger'],
  'client/tracker': ['client', 'client/graph', 'client/local', 'client/wire'],
  'client/records': [
    'client',
    'client/graph',
    'client/composition',
    'client/local',
    'client/query',
    'client/live',
    'client/wire',
  ],
  'client/services': ['client', 'client/account', 'client/graph', 'client/wire'],
  'client/transaction': ['client', 'client/graph', 'client/store', 'client/sync', 'client/wire'],
  'client/worker': ['client', 'client/graph'],
  'client/writes': ['client', 'client/graph', 'client/local'],
  // It runs where no page is: what it takes from the client knows neither a document nor a graph.
  'client/serve': ['client/graph', 'client/store', 'client/sync', 'client/wire', 'client/worker'],
  client: [
    'client/graph',
    'client/local',
    'client/composition',
    'client/query',
    'client/wire',
    'client/store',
    'client/sync',
    'client/live',
  ],
  react: ['@weft/client', '@weft/client/account', 'react', 'react/page'],
  'react/documentation': ['@weft/client', 'react', 'react/page'],
  'react/form': ['@weft/client/validate', 'react'],
  'react/graph': [
    '@weft/client',
    'react',
    'graphology',
    'graphology-layout-forceatlas2',
    'graphology-layout-forceatlas2/iterate.js',
    'sigma',
    'sigma/rendering',
    'sigma/settings',
    'sigma/types',
  ],
  'react/select': ['@weft/client', 'react', 'react/page'],
  'react/page': [
    '@weft/client',
    '@weft/client/validate',
    'react',
    'react-dom',
    'dompurify',
    'react/',
    'react/documentation',
    'react/widget',
  ],
  'react/widget': ['@weft/client', 'react/page'],
  'react/frame': ['react/page', 'react/widget'],
  site: [
    '@weft/client',
    '@weft/client/account',
    '@weft/react/page',
    'react',
    'react-dom/client',
    'site/account',
    'site/contact',
    'site/demo',
    'site/try',
    'site/documents',
    'site/editor',
    'site/schema',
    'site/types',
    'site/visits',
    'site/words',
  ],
  'site/account': ['@weft/client', '@weft/client/account', '@weft/react/form', 'react', 'site'],
  'site/contact': ['@weft/react/form', 'react', 'site'],
  'site/try': ['@weft/client', 'react', 'site', 'site/words'],
  'site/demo': [
    '@weft/client',
    '@weft/client/account',
    '@weft/react',
    'react',
    'site',
    'site/account',
  ],
  'site/documents': [
    '@weft/client',
    '@weft/client/account',
    '@weft/client/services',
    'react',
    'site',
    'site/account',
  ],
  'site/editor': [
    '@weft/client/account',
    '@weft/client',
    '@weft/react',
    '@weft/react/graph',
    'react',
    'site',
    'site/account',
  ],
  'site/schema': [
    '@codemirror/commands',
    '@codemirror/lang-json',
    '@codemirror/language',
    '@codemirror/lint',
    '@codemirror/state',
    '@codemirror/view',
    '@lezer/highlight',
    '@weft/client',
    'react',
    'site',
    'site/account',
  ],
  'site/types': ['@weft/client', '@weft/react/graph', 'react', 'site'],
  'site/visits': ['react', 'site'],
  'site/words': ['@weft/client', '@weft/react/graph', 'react', 'site'],
  'examples/todo': [
    '@weft/client',
    '@weft/client/account',
    '@weft/client/worker',
    '@weft/client/worker/serve',
    '@weft/client/writes',
    '@weft/react',
    'react',
    'react-dom',
    'react-dom/client',
  ],
}

test('nobody imports against the map', () => {
  const wrong: string[] = []
  for (const file of sources()) {
    const room = roomOf(file)
    const allowed = layers[room]
    if (!allowed) wrong.push(`${file}: ${room} is not on the map in layers.test.ts`)
    for (const target of importsOf(file)) {
      const name = target.startsWith('.') ? roomOf(join(dirname(file), target)) : target
      if (name !== room && !allowed?.includes(name))
        wrong.push(`${file}: ${room} may not import ${name}`)
    }
  }
  expect(wrong).toEqual([])
})

function* sources(): Generator<string> {
  for (const pkg of ['client', 'react', 'site', 'examples/todo']) {
    const root = join(import.meta.dirname, pkg, 'src')
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && /\.tsx?$/.test(entry.name))
        yield relative(import.meta.dirname, join(entry.parentPath, entry.name))
    }
  }
}

/** `client/src/graph/id.ts` is in `client/graph`, `client/src/index.ts` in `client`. */
function roomOf(file: string): string {
  const [pkg, inside = ''] = file.split('/src/')
  const [room, ...rest] = inside.split('/')
  return rest.length > 0 ? `${pkg}/${room}` : `${pkg}`
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((found) => found[1] ?? '')
}
