import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

export const templates = ['react-ts', 'vanilla-ts', 'node'] as const
export type Template = (typeof templates)[number]

export interface Options {
  readonly folder?: string
  readonly template?: Template
  /** Origin of the server, without a slash at the end. */
  readonly server: string
  readonly install: boolean
}

export const usage = `create-weft [FOLDER] [--template TEMPLATE] [--server URL] [--no-install]

  FOLDER        the folder of the new application
  --template    ${templates.join(', ')}; the default is react-ts
  --server      the Weft server that the application uses and from which it installs the client;
                the default is http://127.0.0.1:8080
  --no-install  write the files only`

/** Reads the command line. Throws a `UsageError` if it is malformed. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const [folder, ...rest] = positionals
  if (rest.length > 0) throw new UsageError(`expected one folder, got "${positionals.join(' ')}"`)
  const template = templates.find((name) => name === values.template)
  if (values.template !== undefined && !template)
    throw new UsageError(`unknown template "${values.template}"; there are ${templates.join(', ')}`)
  return {
    ...(folder !== undefined && { folder }),
    ...(template && { template }),
    server: originOf(values.server),
    install: !values['no-install'],
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        server: { type: 'string', default: 'http://127.0.0.1:8080' },
        'no-install': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function originOf(server: string): string {
  if (!/^https?:/.test(server) || !URL.canParse(server))
    throw new UsageError(`--server must be a URL such as http://127.0.0.1:8080, not "${server}"`)
  return new URL(server).origin
}
