import { useLoad } from '../model/load.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { parseNotes } from './notes.ts'
import type { Version } from './operations.ts'

/** The version of the server, and its changes. */
export function VersionNotes() {
  const { data, status, error, reload } = useLoad<Version>('/api/admin/version')
  return (
    <>
      <div className="bar">
        <h1 className="title">Version</h1>
      </div>
      <div className="page">
        {status === 'error' && <Failed error={error} retry={() => void reload()} />}
        {status === 'loading' && <Loading>Still loading the version.</Loading>}
        {data && (
          <dl className="facts">
            <dt>Weft</dt>
            <dd>{data.version || 'built without a version'}</dd>
            <dt>Go</dt>
            <dd>{data.go}</dd>
            <dt>System</dt>
            <dd>{data.system}</dd>
          </dl>
        )}
        {data && data.notes !== '' && <Notes text={data.notes} />}
      </div>
    </>
  )
}

function Notes({ text }: { text: string }) {
  return (
    <article className="notes">
      {parseNotes(text).map(({ id, kind, text: line }) => {
        if (kind === 'title') return <h2 key={id}>{line}</h2>
        if (kind === 'heading') return <h3 key={id}>{line}</h3>
        return (
          <p key={id} className={kind}>
            {line}
          </p>
        )
      })}
    </article>
  )
}
