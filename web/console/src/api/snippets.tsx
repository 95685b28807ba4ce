import { curlOf } from '../ask/code/curl.ts'
import { goOf } from '../ask/code/go.ts'
import { typeScriptOf } from '../ask/code/typescript.ts'
import { lastType } from '../model/last-type.ts'
import { namesOf } from '../model/names.ts'
import { setParams, useLocation } from '../model/router.ts'
import { type ConsoleType, useTypes } from '../model/types.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Link } from '../parts/link.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'

const languages = [
  ['ts', 'TypeScript'],
  ['go', 'Go'],
  ['curl', 'curl'],
] as const

/** Code that reads the records of a type: by default, of the type that was opened last. */
export function Snippets() {
  const { params } = useLocation()
  const { types, status, error } = useTypes()
  const records = types.filter(({ kind }) => kind === 'record')
  const name = params.get('type') ?? lastType() ?? ''
  const type = records.find((one) => one.name === name) ?? records[0]
  const language = params.get('in') ?? 'ts'
  const address = (to: string) => `/api/code?type=${encodeURIComponent(type?.name ?? '')}&in=${to}`
  return (
    <>
      <div className="bar wrap">
        <h1 className="title">Code for a type</h1>
        {type && (
          <Tabs
            label="Language"
            tabs={languages.map(([id, label]) => ({
              to: address(id),
              label,
              isCurrent: id === language,
            }))}
          />
        )}
        <span className="grow" />
        {type && (
          <select
            className="input filter"
            aria-label="Type"
            value={type.name}
            onChange={(event) => setParams({ type: event.target.value })}
          >
            {records.map(({ name: id, names }) => (
              <option key={id} value={id}>
                {names.many}
              </option>
            ))}
          </select>
        )}
      </div>
      <div className="page">
        {status === 'error' && <Failed error={error} />}
        {status === 'loading' && <Loading>Still loading the types.</Loading>}
        {status === 'ready' && !type && (
          <Empty title="No types yet">
            <p>A type appears with its first record.</p>
          </Empty>
        )}
        {type && <Code type={type} types={types} language={language} />}
      </div>
    </>
  )
}

function Code({
  type,
  types,
  language,
}: {
  type: ConsoleType
  types: readonly ConsoleType[]
  language: string
}) {
  const code = codeOf(type, types, language)
  return (
    <>
      <p className="soft">
        The ten newest {namesOf(type.name).many.toLowerCase()}. Programs authenticate with an API
        key:{' '}
        <Link className="underline" to="/people/my-keys">
          Your keys
        </Link>
        .
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <pre className="code" tabIndex={0}>
        {code}
      </pre>
      <p className="acts">
        <CopyButton text={code}>Copy the code</CopyButton>
      </p>
    </>
  )
}

/** Returns the code of a query for the newest records of a type. */
function codeOf(type: ConsoleType, types: readonly ConsoleType[], language: string): string {
  const query = { type: type.name, selectors: ['self'], inpage: 10 }
  if (language === 'go') return goOf(query, location.origin)
  if (language === 'curl') return curlOf(query, location.origin)
  const declared = types.flatMap((one) =>
    one.declared ? [[one.name.replace(/^the_/, ''), one.declared] as const] : [],
  )
  return typeScriptOf(query, location.origin, Object.fromEntries(declared))
}
