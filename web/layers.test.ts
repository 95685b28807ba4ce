import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

// The permitted imports. Each folder may import itself and the folders and packages listed for it. A folder inside a
// package is named package/folder.
const layers: Record<string, string[]> = {
  'client/model': [],
  'client/composition': ['client/model'],
  'client/query': ['client/model', 'client/composition'],
  'client/validate': ['client', 'client/model'],
  'client/wire': ['client/model', 'client/query'],
  'client/local': ['client/model', 'client/composition'],
  'client/store': ['client/model', 'client/composition', 'client/query'],
  'client/sync': [
    'client/model',
    'client/composition',
    'client/local',
    'client/wire',
    'client/store',
  ],
  'client/live': [
    'client/model',
    'client/local',
    'client/query',
    'client/wire',
    'client/composition',
    'client/store',
    'client/sync',
    'client/live/filters',
    'client/live/remote',
  ],
  'client/live/filters': [
    'client/model',
    'client/local',
    'client/query',
    'client/wire',
    'client/composition',
    'client/live',
  ],
  'client/live/remote': [
    'client/model',
    'client/local',
    'client/wire',
    'client/store',
    'client/sync',
  ],
  'client/devtools': ['client', 'client/model', 'client/composition', 'client/writes'],
  'client/account': ['client', 'client/model'],
  'client/logger': ['client', 'client/wire'],
  'client/monitor': ['client/logger'],
  'client/tracker': ['client', 'client/model', 'client/local', 'client/wire'],
  'client/graph': [
    'client',
    'client/model',
    'client/composition',
    'client/local',
    'client/query',
    'client/live',
    'client/store',
    'client/sync',
    'client/wire',
  ],
  'client/internal': [
    'client',
    'client/composition',
    'client/graph',
    'client/model',
    'client/query',
    'client/wire',
  ],
  'client/schema': [
    'client',
    'client/composition',
    'client/graph',
    'client/live',
    'client/local',
    'client/model',
    'client/query',
    'client/transaction',
    'client/validate',
    'client/wire',
  ],
  'client/services': ['client', 'client/account', 'client/model', 'client/wire'],
  'client/transaction': ['client', 'client/model', 'client/store', 'client/sync', 'client/wire'],
  'client/worker': ['client', 'client/model'],
  'client/writes': ['client', 'client/model', 'client/local'],
  // Runs in a service worker, so the folders it imports use neither the document nor the graph of the page.
  'client/worker/serve': [
    'client/model',
    'client/store',
    'client/sync',
    'client/wire',
    'client/worker',
  ],
  client: [
    'client/model',
    'client/local',
    'client/composition',
    'client/query',
    'client/wire',
    'client/store',
    'client/sync',
    'client/live',
    'client/live/remote',
  ],
  react: ['@weft/client', '@weft/client/account', '@weft/client/schema', 'react'],
  'react/stored': ['react', 'dompurify'],
  'react/widget': ['@weft/client', 'react/stored'],
  'react/frame': ['react/stored', 'react/widget'],
  'react/documentation': ['@weft/client', 'react', 'react/stored'],
  'react/page': [
    '@weft/client',
    '@weft/client/internal',
    '@weft/client/validate',
    'react',
    'react-dom',
    'react/documentation',
    'react/stored',
    'react/widget',
  ],
  'react/imperative': ['react/documentation', 'react/page', 'react/stored', 'react/widget'],
  'react/form': ['@weft/client/validate', 'react'],
  'react/select': ['@weft/client', 'react', 'react/stored'],
  'react/graph-view': [
    '@weft/client',
    'react',
    'graphology',
    'graphology-layout-forceatlas2',
    'graphology-layout-forceatlas2/iterate.js',
    '@sigma/node-border',
    'sigma',
    'sigma/rendering',
    'sigma/settings',
    'sigma/types',
  ],
  code: [
    '@codemirror/autocomplete',
    '@codemirror/commands',
    '@codemirror/lang-css',
    '@codemirror/lang-html',
    '@codemirror/lang-javascript',
    '@codemirror/lang-json',
    '@codemirror/language',
    '@codemirror/lint',
    '@codemirror/merge',
    '@codemirror/state',
    '@codemirror/view',
    '@lezer/highlight',
    'react',
  ],
  compat: [
    '@weft/client',
    '@weft/client/account',
    '@weft/client/graph',
    '@weft/client/internal',
    '@weft/client/logger',
    '@weft/client/monitor',
    '@weft/client/services',
    '@weft/client/tracker',
    '@weft/client/transaction',
    '@weft/client/validate',
    '@weft/client/worker',
    'compat/listeners',
    'compat/model',
    'compat/widgets',
  ],
  'compat/model': [],
  'compat/worker': ['@weft/client/worker/serve'],
  'compat/listeners': ['@weft/client', '@weft/client/internal', 'compat', 'compat/model'],
  'compat/widgets': [
    '@weft/client',
    '@weft/client/internal',
    '@weft/react/imperative',
    'compat',
    'compat/listeners',
    'compat/model',
  ],
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
  'site/account': [
    '@weft/client',
    '@weft/client/account',
    '@weft/react/form',
    'react',
    'site',
    'site/shared',
  ],
  'site/contact': ['@weft/react/form', 'react', 'site', 'site/shared'],
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
    '@weft/react/graph-view',
    'react',
    'site',
    'site/account',
  ],
  'site/schema': ['@weft/client', '@weft/code', 'react', 'site', 'site/account', 'site/shared'],
  // Components and rules that the site and the console share.
  'site/shared': ['react'],
  'site/types': ['@weft/client', '@weft/react/graph-view', 'react', 'site'],
  'site/visits': ['react', 'site'],
  'site/words': ['@weft/client', '@weft/react/graph-view', 'react', 'site'],
  // The rooms share `model` and `parts`. A room imports neither the shell nor another room.
  console: [
    'react',
    'react-dom/client',
    'console/api',
    'console/ask',
    'console/content',
    'console/graph',
    'console/operations',
    'console/people',
    'console/records',
    'console/schema',
    'console/shell',
    'console/styles',
  ],
  'console/model': ['@weft/client', '@weft/client/account', '@weft/react', 'react'],
  'console/parts': ['@weft/client', 'react', 'console/model', 'site/shared'],
  'console/shell': [
    '@weft/client',
    '@weft/client/account',
    '@weft/react',
    '@weft/react/form',
    'react',
    'console/model',
    'console/parts',
  ],
  'console/first': ['react', 'console/model'],
  // The API room shows the code of a query as the room Ask does.
  'console/api': ['react', 'console/ask/code', 'console/model', 'console/parts'],
  'console/ask': [
    '@weft/client',
    '@weft/client/internal',
    '@weft/code',
    '@weft/code/completion',
    '@weft/code/error-position',
    'react',
    'console/ask/code',
    'console/ask/question',
    'console/ask/results',
    'console/model',
    'console/parts',
  ],
  'console/ask/code': ['console/ask/question'],
  'console/ask/question': ['@weft/client', '@weft/client/internal', 'console/model'],
  'console/ask/results': [
    '@weft/client',
    '@weft/react/graph-view',
    'react',
    'uplot',
    'uplot/dist/uPlot.min.css',
    'console/ask/question',
    'console/model',
    'console/parts',
  ],
  'console/schema': ['react', 'console/model', 'console/parts'],
  'console/operations': [
    'react',
    'uplot',
    'uplot/dist/uPlot.min.css',
    'console/model',
    'console/parts',
  ],
  'console/people': ['react', 'console/model', 'console/parts', 'site/shared'],
  'console/content': [
    '@weft/client',
    '@weft/code/diff',
    '@weft/code/site',
    'react',
    'console/model',
    'console/parts',
  ],
  'console/graph': [
    '@weft/client',
    '@weft/client/graph',
    '@weft/client/transaction',
    '@weft/react',
    '@weft/react/graph-view',
    'react',
    'console/model',
    'console/parts',
  ],
  'console/records': [
    '@weft/client',
    '@weft/client/graph',
    '@weft/client/transaction',
    '@weft/react',
    'react',
    'console/first',
    'console/model',
    'console/parts',
  ],
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

test('every folder imports only permitted modules', () => {
  const wrong: string[] = []
  for (const file of sources()) {
    const folder = folderOf(file)
    const allowed = layers[folder]
    if (!allowed) wrong.push(`${file}: ${folder} is not listed in layers.test.ts`)
    for (const target of importsOf(file)) {
      const name = target.startsWith('.') ? folderOf(join(dirname(file), target)) : target
      if (name !== folder && !allowed?.includes(name))
        wrong.push(`${file}: ${folder} may not import ${name}`)
    }
  }
  expect(wrong).toEqual([])
})

function* sources(): Generator<string> {
  for (const pkg of ['client', 'code', 'compat', 'console', 'react', 'site', 'examples/todo']) {
    const root = join(import.meta.dirname, pkg, 'src')
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && /\.tsx?$/.test(entry.name))
        yield relative(import.meta.dirname, join(entry.parentPath, entry.name))
    }
  }
}

/** Returns the folder of a file: `client/model` for `client/src/model/id.ts`, `client` for `client/src/index.ts`. */
function folderOf(file: string): string {
  const [pkg, inside = ''] = file.split('/src/')
  const parts = inside.split('/').slice(0, -1)
  return [pkg, ...parts].join('/')
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((found) => found[1] ?? '')
}
