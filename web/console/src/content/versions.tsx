import { lazy, Suspense } from 'react'
import { setParams, useLocation } from '../model/router.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { OwnerName } from '../parts/owner.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { readWidget, type WidgetDocument } from './api.ts'
import { changedFiles } from './drafts.ts'
import { timeText } from './texts.ts'
import { useRead } from './use-read.ts'
import type { VersionCommands } from './use-version-commands.ts'

const DiffView = lazy(async () => ({ default: (await import('@weft/code/diff')).DiffView }))

/** The versions of a widget, newest first, and the differences between the chosen one and another. */
export function Versions({
  document,
  commands,
}: {
  readonly document: WidgetDocument
  readonly commands: VersionCommands
}) {
  const { params } = useLocation()
  const chosen = document.version.number
  const previous =
    document.versions[document.versions.findIndex(({ number }) => number === chosen) - 1]
  const other = Number(params.get('with') ?? previous?.number ?? chosen)
  return (
    <section className="content-versions" aria-label="Versions">
      <ul>
        {document.versions.toReversed().map(({ id, number, saved, owner, published }) => (
          <li key={id} aria-current={number === chosen ? 'true' : undefined}>
            <b>Version {number}</b>
            <span className="soft">
              {timeText(saved)}, by <OwnerName owner={owner} />
            </span>
            <span className="grow" />
            {number !== chosen && (
              <button
                type="button"
                className="button quiet"
                aria-pressed={number === other}
                onClick={() => setParams({ with: String(number) })}
              >
                Compare{' '}
                <span className="unseen">
                  version {number} with version {chosen}
                </span>
              </button>
            )}
            {!commands.mayChange && published && <span className="chip">published</span>}
            {commands.mayChange && (
              <BusyButton
                className="button quiet"
                isBusy={commands.isWorking}
                isUnavailable={published}
                onClick={() => commands.publish(number)}
              >
                {published ? 'Published' : 'Publish'}{' '}
                <span className="unseen">version {number}</span>
              </BusyButton>
            )}
          </li>
        ))}
      </ul>
      {other !== chosen && <Differences document={document} other={other} />}
    </section>
  )
}

function Differences({ document, other }: { document: WidgetDocument; other: number }) {
  const { name, version, files } = document
  const read = useRead(
    `${name} ${other}`,
    () => readWidget(name, other),
    () => [],
  )
  if (read.status === 'loading') return <Loading>Still loading version {other}.</Loading>
  if (read.status === 'error') return <Failed error={read.error} retry={read.reload} />
  const isOlder = other < version.number
  const [before, after] = isOlder ? [read.data.files, files] : [files, read.data.files]
  const [from, to] = isOlder ? [other, version.number] : [version.number, other]
  const changed = changedFiles(before, after)
  return (
    <div className="content-diff">
      <h2>
        From version {from} to version {to}
      </h2>
      {changed.length === 0 && <p>The files are the same.</p>}
      <Suspense fallback={<Loading>Still loading the differences.</Loading>}>
        {changed.map((file) => (
          <div key={file}>
            <h3>{file}</h3>
            <DiffView
              name={file}
              label={`Differences in ${file}`}
              before={before[file] ?? ''}
              after={after[file] ?? ''}
            />
          </div>
        ))}
      </Suspense>
    </div>
  )
}
