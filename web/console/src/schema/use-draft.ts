import { useEffect, useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { clearFound } from '../model/found.ts'
import { errorText } from '../model/request.ts'
import { type DeclaredType, reloadTypes } from '../model/types.ts'
import type { Fields } from './rows.ts'

/** The number of records that would violate one rule of a field, and the ids of the first of them. */
export interface RuleViolations {
  readonly type: string
  readonly field: string
  readonly rule: string
  readonly message: string
  readonly count: number
  readonly records: readonly number[]
}

/** The number of stored records that were checked, whether these are all, and the violations of a changed declaration. */
interface Preview {
  readonly records: number
  readonly complete: boolean
  readonly violations: readonly RuleViolations[]
}

/**
 * The preview of a draft:
 *
 *   none ──change──▶ checking ──▶ checked | refused
 *                       ▲             │ change
 *                       └─────────────┘
 */
type PreviewState =
  | { readonly status: 'none' | 'checking' }
  | { readonly status: 'checked'; readonly preview: Preview }
  | { readonly status: 'refused'; readonly message: string }

/** The declaration of one type while it is edited. */
export interface Draft {
  readonly fields: Fields
  readonly isChanged: boolean
  readonly preview: PreviewState
  readonly set: (fields: Fields) => void
  readonly discard: () => void
  readonly apply: () => Promise<void>
}

/** Delay after the last keystroke before a draft is checked, in milliseconds. */
const checkDelayMs = 300

/** Returns the draft of a declaration. It equals the stored declaration until the user changes it. */
export function useDraft(name: string, declared: DeclaredType | undefined): Draft {
  const { request, undo, announce } = useConsole()
  const [changed, setChanged] = useState<Fields>()
  const [preview, setPreview] = useState<PreviewState>({ status: 'none' })
  const stored = declared?.fields ?? {}
  const isChanged = changed !== undefined && JSON.stringify(changed) !== JSON.stringify(stored)
  useEffect(() => {
    if (!isChanged) {
      setPreview({ status: 'none' })
      return
    }
    setPreview({ status: 'checking' })
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const json = { schema: { types: { [name]: { fields: changed } } } }
      request<Preview>('/api/v1/schema/preview', { json, signal: stop.signal }).then(
        (preview) => setPreview({ status: 'checked', preview }),
        (error: unknown) => {
          if (!stop.signal.aborted) setPreview({ status: 'refused', message: errorText(error) })
        },
      )
    }, checkDelayMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [name, changed, isChanged, request])
  const push = async (type: DeclaredType | undefined) => {
    await (type
      ? request('/api/v1/schema', { json: { schema: { types: { [name]: type } } } })
      : removeType(request, name))
    clearFound()
    await reloadTypes()
  }
  const apply = async () => {
    if (!changed) return
    try {
      await push({ fields: changed })
      setChanged(undefined)
      undo.push({
        label: `Changed the declaration of ${name}`,
        undo: () => push(declared),
        redo: () => push({ fields: changed }),
      })
    } catch (error) {
      announce(errorText(error))
      setPreview({ status: 'refused', message: errorText(error) })
    }
  }
  return {
    fields: changed ?? stored,
    isChanged,
    preview,
    set: setChanged,
    discard: () => setChanged(undefined),
    apply,
  }
}

type Request = ReturnType<typeof useConsole>['request']

/** Removes the declaration of one type. The API has no such request, so this pushes all other types and prunes the rest. */
async function removeType(request: Request, name: string): Promise<void> {
  const { types } = await request<{ types: Readonly<Record<string, DeclaredType>> }>(
    '/api/v1/schema',
  )
  const others = Object.fromEntries(Object.entries(types).filter(([type]) => type !== name))
  await request('/api/v1/schema', { json: { schema: { types: others }, prune: true } })
}
