import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Generates the API reference of the browser library from its type declarations and their comments. */
export function reference(): string {
  const client = join(import.meta.dirname, 'client')
  const { exports } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as {
    exports: Record<string, string>
  }
  // `./internal` is private to the packages of this repository.
  delete exports['./internal']
  const out = mkdtempSync(join(tmpdir(), 'weft-types-'))
  try {
    emitDeclarations(
      Object.values(exports).map((path) => join(client, path)),
      join(client, 'src'),
      out,
    )
    const sections = Object.entries(exports).map(([name, path]) =>
      section(name.replace('.', '@weft/client'), join(out, path.replace('./src/', ''))),
    )
    return [head, ...sections].join('\n')
  } finally {
    rmSync(out, { recursive: true })
  }
}

const head = `# The browser library, entry by entry

Generated from the types by \`npm --prefix web run reference\`. [client.md](client.md) shows how the parts are used.
`

/** Makes the compiler write the type declarations of modules and of all their imports. */
function emitDeclarations(entries: readonly string[], root: string, out: string): void {
  const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', out]
  // With several threads on a busy machine, the compiler leaves out some files without an error.
  options.push('--singleThreaded')
  const config = ['--ignoreConfig', '--rootDir', root, '--target', 'es2023', '--module', 'esnext']
  const moduleOptions = [
    '--moduleResolution',
    'bundler',
    '--allowImportingTsExtensions',
    '--strict',
    '--types',
    'node',
  ]
  const compiler = join(import.meta.dirname, 'node_modules/.bin/tsc')
  execFileSync(compiler, [...options, ...config, ...moduleOptions, '--skipLibCheck', ...entries])
}

function section(name: string, index: string): string {
  const parts = exportsOf(typesOf(index)).sort((a, b) => order(a) - order(b))
  return [`\n## ${name}\n`, ...parts.map(formatPart)].join('\n')
}

/** An exported declaration. */
interface Part {
  readonly name: string
  readonly comment: string
  readonly text: string
}

const order = ({ text }: Part): number => Number(!/^(function|const|class)/.test(text))

const typesOf = (path: string): string => path.replace(/(\.d)?\.ts$/, '.d.ts')

/** Lists the exports of a declaration file, including re-exports. */
function exportsOf(path: string): Part[] {
  const text = readFileSync(path, 'utf8')
  return [
    ...declarationsOf(path),
    ...reexportsOf(text).flatMap(({ name, from }) => {
      const available = exportsOf(typesOf(join(dirname(path), from)))
      return available.find((part) => part.name === name) ?? []
    }),
  ]
}

/**
 * Lists the names that a module exports from other modules: by `export { a } from`, or by `export { a }` after an
 * import.
 */
function reexportsOf(text: string): { readonly name: string; readonly from: string }[] {
  const imported = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
    ([, names, from = '']) => namesIn(names).map((name) => ({ name, from })),
  )
  const exported = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm)]
  return exported.flatMap(([, names, from]) =>
    namesIn(names).flatMap((name) =>
      from ? { name, from } : imported.filter((found) => found.name === name),
    ),
  )
}

const namesIn = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type (?=\w)/, ''))
    .filter((name) => name !== '')

/** Lists the declarations of a file with their comments. Overloads are joined. */
function declarationsOf(path: string): Part[] {
  const parts = new Map<string, Part>()
  const source = readFileSync(path, 'utf8')
  for (const [, comment = '', text = '', name = ''] of source.matchAll(declaration)) {
    const before = parts.get(name)
    const whole = before ? `${before.text}\n${text.trim()}` : text.trim()
    parts.set(name, {
      name,
      comment: before?.comment || stripStars(comment),
      text: whole.replaceAll('    ', '  '),
    })
  }
  return [...parts.values()]
}

const declaration = new RegExp(
  [
    String.raw`(?:^/\*\*((?:(?!\*/).)*)\*/\n)?`,
    String.raw`^export (?:declare )?((?:function|const|interface|type|class) (\w+).*?)`,
    String.raw`(?=^(?:export|declare|interface|type|const|import)\b|^/\*\*|(?!.))`,
  ].join(''),
  'gms',
)

/** Removes the stars of a comment. */
const stripStars = (comment: string): string => comment.replaceAll(/^\s*\* ?/gm, '').trim()

const formatPart = ({ name, comment, text }: Part): string =>
  [`### ${name}\n`, comment && `${comment}\n`, `\`\`\`ts\n${text}\n\`\`\`\n`]
    .filter(Boolean)
    .join('\n')
