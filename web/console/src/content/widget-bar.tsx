import type { Ref } from 'react'
import { showKeys } from '../model/keys.ts'
import { setParams } from '../model/router.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import type { WidgetDocument } from './api.ts'
import { timeText } from './texts.ts'
import type { VersionCommands } from './use-version-commands.ts'

/** The bar above a widget: its title, the version that is shown, and the actions on versions. */
export function WidgetBar({
  document,
  commands,
  changes,
  saveButton,
}: {
  readonly document: WidgetDocument
  readonly commands: VersionCommands
  readonly changes: readonly string[]
  readonly saveButton: Ref<HTMLButtonElement>
}) {
  const { title, version, versions } = document
  const newest = versions.at(-1)
  const isChanged = changes.length > 0
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
          <BusyButton
            ref={saveButton}
            className={isChanged ? 'button' : 'button quiet'}
            isBusy={commands.isWorking}
            isUnavailable={!isChanged}
            onClick={commands.save}
          >
            Save version <kbd>{showKeys('mod+s')}</kbd>
          </BusyButton>
          <BusyButton
            className={isNewest && !isChanged && !version.published ? 'button' : 'button quiet'}
            isBusy={commands.isWorking}
            isUnavailable={isChanged || version.published}
            onClick={() => commands.publish(version.number)}
          >
            {isNewest ? 'Publish' : 'Publish this version'}
          </BusyButton>
        </>
      ) : (
        <span className="soft">You can see this widget but not change it.</span>
      )}
    </div>
  )
}
