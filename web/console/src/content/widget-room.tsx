import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useConsole, useKeys, useSummary } from '../model/console.tsx'
import { errorText } from '../model/error-text.ts'
import { useOwnerWords } from '../model/owners.ts'
import { setParams, useLocation } from '../model/router.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Failed, Loading, Refused } from '../parts/states.tsx'
import {
  type Files,
  type Item,
  previewWidget,
  readWidget,
  type WidgetDocument,
  type WidgetTree,
} from './api.ts'
import {
  changedFiles,
  type Draft,
  fileNames,
  hookFiles,
  readDraft,
  storeDraft,
  tabLabel,
} from './drafts.ts'
import { Preview } from './preview.tsx'
import { trustWords } from './texts.ts'
import { useRead } from './use-read.ts'
import { useVersionCommands } from './use-version-commands.ts'
import { Versions } from './versions.tsx'
import { WidgetBar } from './widget-bar.tsx'

const FileEditor = lazy(async () => ({ default: (await import('@weft/code/site')).FileEditor }))

interface WidgetRoomProps {
  readonly name: string
  readonly pages: readonly Item[]
  /** Called after every command on versions. Reads the list of pages and widgets again. */
  readonly changed: () => void
}

/** A widget: its files in tabs on the left, the preview on the right, versions in a separate tab. */
export function WidgetRoom({ name, pages, changed }: WidgetRoomProps) {
  const { params } = useLocation()
  const wanted = params.get('version')
  const version = wanted === null ? undefined : Number(wanted)
  const read = useRead(
    `${name} ${wanted}`,
    () => readWidget(name, version),
    ({ id }) => [id],
  )
  const document = useLast(read.data)
  if (read.status === 'error') return <Failed error={read.error} retry={read.reload} />
  if (document === undefined) return <Loading>Still loading the files.</Loading>
  return <WidgetEditor document={document} {...{ pages, changed }} reload={read.reload} />
}

/** Returns the last defined value, so that the buttons keep the focus while another version is loaded. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}

function WidgetEditor({
  document,
  pages,
  changed,
  reload,
}: {
  readonly document: WidgetDocument
  readonly pages: readonly Item[]
  readonly changed: () => void
  readonly reload: () => void
}) {
  const { session } = useConsole()
  const owner = useOwnerWords(document.version.owner, session)
  const { params } = useLocation()
  const { files, edit, draft, discard, keepLater } = useDraft(document)
  const file = params.get('file') ?? 'widget.html'
  const { tree, problem } = useTree(document, files)
  const changes = changedFiles(document.files, files)
  const commands = useVersionCommands({ document, files, draft, keepLater, changed, reload })
  useSaveKey(commands.save, commands.mayChange)
  useSummary(
    changes.length === 0
      ? ''
      : `${changes.length} changed ${changes.length === 1 ? 'file' : 'files'}, not saved`,
  )
  const newest = document.versions.at(-1)?.number ?? 0
  const isStale = draft !== undefined && draft.base < newest
  const saveButton = useRef<HTMLButtonElement>(null)
  return (
    <>
      <WidgetBar {...{ document, commands, changes, saveButton }} />
      <p className="content-trust soft">{trustWords(tree?.trust, files, owner)}</p>
      {commands.problem !== '' && <Refused>{commands.problem}</Refused>}
      {isStale && (
        <StaleDraft
          base={draft.base}
          newest={newest}
          isBusy={commands.isWorking}
          keep={async (whose) => {
            if (whose === 'mine') await commands.keepMine()
            else discard()
            // The buttons of the note disappear with it.
            saveButton.current?.focus()
          }}
        />
      )}
      <FileTabs
        {...{ files, file, changes }}
        mayAdd={commands.mayChange}
        versions={document.versions.length}
      />
      <div className="content-room">
        {file === 'versions' ? (
          <Versions document={document} commands={commands} />
        ) : (
          <section className="content-editor" aria-label={tabLabel(file)}>
            <Suspense fallback={<Loading>Still loading the editor.</Loading>}>
              <FileEditor
                key={file}
                name={file}
                label={`${file} of ${document.title}`}
                text={files[file] ?? ''}
                onChange={(text) => edit(file, text)}
                onRun={commands.save}
                isReadOnly={!commands.mayChange}
              />
            </Suspense>
            <Hints {...{ file, files, problem }} warnings={tree?.warnings ?? []} />
          </section>
        )}
        <Preview name={document.name} root={document.id} {...{ pages, tree }} />
      </div>
    </>
  )
}

/** Another version was saved since the edits began: asks which one to keep. */
function StaleDraft({
  base,
  newest,
  isBusy,
  keep,
}: {
  readonly base: number
  readonly newest: number
  readonly isBusy: boolean
  readonly keep: (whose: 'mine' | 'theirs') => Promise<void>
}) {
  return (
    <Refused
      actions={
        <>
          <BusyButton className="button quiet" isBusy={isBusy} onClick={() => void keep('mine')}>
            Keep mine
          </BusyButton>
          <BusyButton className="button quiet" isBusy={isBusy} onClick={() => void keep('theirs')}>
            Keep theirs
          </BusyButton>
        </>
      }
    >
      Version {newest} was saved while you were editing version {base}. “Keep mine” saves your edits
      as the next version; “Keep theirs” discards them.
    </Refused>
  )
}

/** Registers the key that saves a version. */
function useSaveKey(save: () => void, mayChange: boolean): void {
  const latest = useRef(save)
  useEffect(() => {
    latest.current = save
  })
  const bindings = useMemo(
    () =>
      mayChange
        ? [{ keys: 'mod+s', label: 'Save a version', inFields: true, run: () => latest.current() }]
        : [],
    [mayChange],
  )
  useKeys(bindings)
}

function FileTabs({
  files,
  file,
  changes,
  versions,
  mayAdd,
}: {
  readonly files: Files
  readonly file: string
  readonly changes: readonly string[]
  readonly versions: number
  readonly mayAdd: boolean
}) {
  const missing = hookFiles.filter((name) => files[name] === undefined)
  return (
    <div className="content-tabs" role="toolbar" aria-label="Files">
      {fileNames({ ...files, [file === 'versions' ? 'widget.html' : file]: '' }).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === file}
          onClick={() => setParams({ file: name })}
        >
          {tabLabel(name)}
          {changes.includes(name) && <small>changed</small>}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={file === 'versions'}
        onClick={() => setParams({ file: 'versions' })}
      >
        Versions <small>{versions}</small>
      </button>
      {mayAdd && missing.length > 0 && (
        <select
          className="input"
          aria-label="Add code"
          value=""
          onChange={(event) => setParams({ file: event.target.value })}
        >
          <option value="">Add code…</option>
          {missing.map((name) => (
            <option key={name} value={name}>
              {tabLabel(name)}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

/** The sentences below the editor about problems and limits of the preview. */
function Hints({
  file,
  files,
  problem,
  warnings,
}: {
  readonly file: string
  readonly files: Files
  readonly problem: string
  readonly warnings: readonly string[]
}) {
  const isCode = file.endsWith('.js')
  return (
    <div className="content-hints soft">
      {problem !== '' && <p role="alert">{problem}</p>}
      {warnings.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {isCode && <p>The preview runs the code of the saved version. Save to see a change.</p>}
      {file === 'widget.json' && (
        <p>
          Name, type, child widgets, libraries and documentation, as <code>weft content pull</code>{' '}
          writes them. The preview shows them after saving.
        </p>
      )}
      {files['widget.html'] === '' && <p>A widget needs HTML.</p>}
    </div>
  )
}

/** Returns the files with the edits of this tab. */
function useDraft(document: WidgetDocument) {
  const [draft, setDraft] = useState<Draft | undefined>(() => readDraft(document.name))
  const files = draft?.files ?? document.files
  return {
    draft,
    files,
    edit(name: string, text: string) {
      if ((files[name] ?? '').trimEnd() === text.trimEnd()) return
      const next = { ...files, [name]: text }
      const isSame = changedFiles(document.files, next).length === 0
      const newest = document.versions.at(-1)?.number ?? 0
      const edited = isSame ? undefined : { base: draft?.base ?? newest, files: next }
      setDraft(edited)
      storeDraft(document.name, edited)
    },
    keepLater(saved: Files, version: number) {
      setDraft((current) => {
        const isEdited = current !== undefined && current.files !== saved
        const later = isEdited ? { base: version, files: current.files } : undefined
        storeDraft(document.name, later)
        return later
      })
    },
    discard() {
      setDraft(undefined)
      storeDraft(document.name, undefined)
    },
  }
}

/** Time after the last edit until the preview is prepared, in milliseconds. */
const previewDelay = 250

/** Returns the edited widget in the renderer's format. */
function useTree(document: WidgetDocument, files: Files) {
  const [state, setState] = useState<{
    readonly tree: WidgetTree | undefined
    readonly problem: string
  }>({ tree: undefined, problem: '' })
  const { id } = document.version
  const [html, css] = [files['widget.html'] ?? '', files['widget.css'] ?? '']
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(() => {
      previewWidget(id, { 'widget.html': html, 'widget.css': css }).then(
        (tree) => isCurrent && setState({ tree: tree ?? undefined, problem: '' }),
        (error) =>
          isCurrent &&
          setState((last) => ({ ...last, problem: `No preview. ${errorText(error)}` })),
      )
    }, previewDelay)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [id, html, css])
  return state
}
