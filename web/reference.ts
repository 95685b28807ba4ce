import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What the browser library exports, entry by entry, as its types and the comments on them say. */
export function reference(): string {
  const client = join(import.meta.dirname, 'client')
  const { exports } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as {
    exports: Record<string, string>
  }
  const out = mkdtempSync(join(tmpdir(), 'weft-types-'))
  try {
    declare(
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

Made from the types by \`npm --prefix web run reference\`. [client.md](client.md) shows how the parts are used.
`

/** Has the compiler write down the types of modules and of all that they import. */
function declare(entries: readonly string[], root: string, out: string): void {
  const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', out]
  const config = ['--ignoreConfig', '--rootDir', root, '--target', 'es2023', '--module', 'esnext']
  const more = [
    '--moduleResolution',
    'bundler',
    '--allowImportingTsExtensions',
    '--strict',
    '--types',
    'node',
  ]
  const compiler = join(import.meta.dirname, 'node_modules/.bin/tsc')
  execFileSync(compiler, [...options, ...config, ...more, '--skipLibCheck', ...entries])
}

function section(name: string, index: string): string {
  const parts = exported(typesOf(index)).sort((a, b) => order(a) - order(b))
  return [`\n## ${name}\n`, ...parts.map(written)].join('\n')
}

interface Part {
  readonly name: string
  readonly comment: string
  readonly text: string
}

const order = ({ text }: Part): number => Number(!/^(function|const|class)/.test(text))

const typesOf = (path: string): string => path.replace(/(\.d)?\.ts$/, '.d.ts')

/** What a module of types exports, wherever it is declared. */
function exported(path: string): Part[] {
  const own = partsOf(path)
  const text = readFileSync(path, 'utf8')
  const passed = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)]
  return [
    ...own,
    ...passed.flatMap(([, names = '', from = '']) => {
      const there = exported(typesOf(join(dirname(path), from)))
      const wanted = names.split(',').map((name) => name.trim().replace(/^type (?=\w)/, ''))
      return wanted.flatMap((name) => there.find((part) => part.name === name) ?? [])
    }),
  ]
}

/** The declarations of a module, each with the comment above it. Overloads are one part. */
function partsOf(path: string): Part[] {
  const parts = new Map<string, Part>()
  const source = readFileSync(path, 'utf8')
  for (const [, comment = '', text = '', name = ''] of source.matchAll(declaration)) {
    const before = parts.get(name)
    const whole = before ? `${before.text}\n${text.trim()}` : text.trim()
    parts.set(name, {
      name,
      comment: before?.comment || plain(comment),
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

/** A comment without its stars. */
const plain = (comment: string): string => comment.replaceAll(/^\s*\* ?/gm, '').trim()

const written = ({ name, comment, text }: Part): string =>
  [`### ${name}\n`, comment && `${comment}\n`, `\`\`\`ts\n${text}\n\`\`\`\n`]
    .filter(Boolean)
    .join('\n')
