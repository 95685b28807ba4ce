import { useState } from 'react'
import { mayChange } from '../model/access.ts'
import { useConsole } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import { type Files, publishWidget, readWidget, saveWidget, type WidgetDocument } from './api.ts'
import { type Draft, sentFiles } from './drafts.ts'

/** The actions on the versions of a widget. */
export interface VersionCommands {
  readonly mayChange: boolean
  /** Why the last command failed, as a sentence; empty if it succeeded. */
  readonly problem: string
  readonly isWorking: boolean
  readonly save: () => void
  /** Shows a version to visitors; without a number, the newest one. */
  readonly publish: (version?: number) => void
  /** Saves the edited files as a new version, even if another version was saved since the edits began. */
  readonly keepMine: () => Promise<void>
}

interface Options {
  readonly document: WidgetDocument
  readonly files: Files
  /** The edits that are not saved; undefined without edits. */
  readonly draft: Draft | undefined
  /** Ends the draft whose files were saved as a version. Edits made after the save began become a draft of this version. */
  readonly keepLater: (saved: Files, version: number) => void
  /** Called after every command, whether or not it succeeded. */
  readonly changed: () => void
  /** Reads the widget again. */
  readonly reload: () => void
}

/** Returns the commands. Undoing a save or a publication saves or publishes the previous version again. */
export function useVersionCommands(options: Options): VersionCommands {
  const { document, files, draft, keepLater, changed, reload } = options
  const { session, undo, announce, setParams } = useConsole()
  const [problem, setProblem] = useState('')
  const { name, title, versions } = document
  const newest = versions.at(-1)?.number ?? 0
  const published = versions.find((one) => one.published)?.number ?? 0
  const [isWorking, setWorking] = useState(false)
  const attempt = async (work: () => Promise<void>) => {
    // The key that saves may be pressed again before the response. The server would refuse the same edits a second time.
    if (isWorking) return
    setWorking(true)
    try {
      setProblem('')
      await work()
    } catch (error) {
      setProblem(`${errorText(error)} Your edits are kept.`)
    } finally {
      setWorking(false)
      changed()
      reload()
    }
  }
  const save = (base: number) =>
    attempt(async () => {
      const before = document.files
      const saved = await saveWidget(name, base, sentFiles(files))
      keepLater(files, saved.version.number)
      setParams({ version: undefined })
      undo.push({
        label: `Saved version ${saved.version.number} of ${title}, not published`,
        undo: () => resave(name, before, reload),
        redo: () => resave(name, files, reload),
      })
    })
  const show = async (version: number) => {
    await publishWidget(name, version)
    changed()
    reload()
  }
  return {
    mayChange: mayChange(session, document.owner),
    problem,
    isWorking,
    save() {
      if (draft) void save(draft.base)
      else announce('Nothing has changed since the last version.')
    },
    keepMine: () => save(newest),
    publish: (version = newest) =>
      void attempt(async () => {
        await publishWidget(name, version)
        undo.push({
          label: `${version < published ? 'Rolled back to' : 'Published'} version ${version} of ${title}`,
          undo: () => show(published),
          redo: () => show(version),
        })
      }),
  }
}

/** Saves files as a new version, based on the newest one. */
async function resave(name: string, files: Files, reload: () => void): Promise<void> {
  const { version } = await readWidget(name)
  await saveWidget(name, version.number, sentFiles(files))
  reload()
}
