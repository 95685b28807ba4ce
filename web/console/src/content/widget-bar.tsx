import { setParams } from '../model/router.ts'
import type { WidgetDocument } from './api.ts'
import { timeText } from './texts.ts'
import type { VersionCommands } from './use-version-commands.ts'

/** The bar above a widget: its title, the version that is shown, and the actions on versions. */
export function WidgetBar({
  document,
  commands,
  changes,
}: {
  readonly document: WidgetDocument
  readonly commands: VersionCommands
  readonly changes: readonly string[]
}) {
  const { title, version, versions } = document
  const newest = versions.at(-1)
  const isNewest = version.number === newest?.number
  return (
    <div className="bar ruled content-bar">
      <h1 className="title">{title}</h1>
      <label>
        <span className="unseen">Version</span>
        <select
          className="input"
          value={version.number}
          onChange={(event) => {
            const chosen = Number(event.target.value)
            setParams({ version: chosen === newest?.number ? undefined : String(chosen) })
          }}
        >
          {versions.toReversed().map((one) => (
            <option key={one.id} value={one.number}>
              Version {one.number}
              {one.published ? ', published' : ''}, {timeText(one.saved)}
            </option>
          ))}
        </select>
      </label>
      <span className="grow" />
      {commands.mayChange ? (
        <>
          {changes.length > 0 && (
            <button type="button" className="button" onClick={commands.save}>
              Save version <kbd>Ctrl S</kbd>
            </button>
          )}
          {!version.published && changes.length === 0 && (
            <button
              type="button"
              className={isNewest ? 'button' : 'button quiet'}
              onClick={() => commands.publish(version.number)}
            >
              {isNewest ? 'Publish' : 'Publish this version'}
            </button>
          )}
        </>
      ) : (
        <span className="soft">You can see this widget but not change it.</span>
      )}
    </div>
  )
}
