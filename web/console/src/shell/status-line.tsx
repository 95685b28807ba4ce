import { useSyncStatus } from '@weft/react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { notice, summary, undo } from '../model/console.tsx'
import { showKeys } from '../model/keys.ts'
import { changeCount } from '../model/names.ts'
import { BusyButton } from '../parts/busy-button.tsx'

/** The line at the bottom: sync state, the last change with Undo, a summary of the selection, and keys. */
export function StatusLine({ openKeys }: { openKeys: () => void }) {
  const text = useSyncExternalStore(notice.subscribe, notice.get)
  const summaryText = useSyncExternalStore(summary.subscribe, summary.get)
  const { done, undone, status } = useSyncExternalStore(undo.subscribe, undo.get)
  return (
    <footer className="foot">
      <SyncState />
      <span className="undo">
        <span className="notice" role="status">
          {text}
        </span>
        {done.length > 0 && (
          <BusyButton isBusy={status === 'working'} onClick={() => void undo.undo()}>
            Undo
          </BusyButton>
        )}
        {done.length > 0 && <kbd className="desk">{showKeys('mod+z')}</kbd>}
        {undone.length > 0 && (
          <BusyButton
            className="desk"
            isBusy={status === 'working'}
            onClick={() => void undo.redo()}
          >
            Redo
          </BusyButton>
        )}
      </span>
      <span className="grow desk" />
      <span className="desk">{summaryText}</span>
      <button type="button" className="desk bare-key" onClick={openKeys}>
        <kbd>?</kbd> keys
      </button>
    </footer>
  )
}

function SyncState() {
  const { online, pending, failed, durable } = useSyncStatus()
  const since = useOfflineSince(online)
  return (
    <span className={syncClass(online, pending, failed.length)} role="status">
      {syncText({ since, pending, failed: failed.length, durable })}
    </span>
  )
}

function syncClass(online: boolean, pending: number, failed: number): string {
  if (failed > 0) return 'sync refused'
  return !online || pending > 0 ? 'sync waiting' : 'sync'
}

interface SyncFacts {
  /** The time of day at which the server stopped responding; undefined while it responds. */
  readonly since: string | undefined
  readonly pending: number
  readonly failed: number
  readonly durable: boolean
}

function syncText({ since, pending, failed, durable }: SyncFacts): string {
  if (failed > 0) return `${changeCount(failed)} refused by the server`
  const kept = durable
    ? 'Changes are stored on this device and sent later.'
    : 'If you close this page, unsent changes are lost.'
  if (since !== undefined)
    return pending > 0
      ? `Offline since ${since}. ${changeCount(pending)} kept on this device.`
      : `Offline since ${since}. ${kept}`
  if (pending > 0) return `${changeCount(pending)} waiting to be sent`
  return 'All changes are on the server'
}

/** Returns the time at which the server stopped responding; undefined while it responds. */
function useOfflineSince(online: boolean): string | undefined {
  const [since, setSince] = useState<string>()
  useEffect(() => {
    setSince(online ? undefined : new Date().toTimeString().slice(0, 5))
  }, [online])
  return online ? undefined : (since ?? 'now')
}
