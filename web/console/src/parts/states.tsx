import { WeftError } from '@weft/client'
import { type ReactNode, useEffect, useState } from 'react'
import { errorText } from '../model/request.ts'

/** Time before `Loading` shows its text, in milliseconds, so that short loads do not flicker. */
const loadingDelayMs = 400

/** A message for a load that takes long. The text should name what is loading: "Still loading 18,392 orders." */
export function Loading({ children = 'Still loading.' }: { children?: ReactNode }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), loadingDelayMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="state" role="status">
      {isLate && (
        <>
          <span className="skeleton" aria-hidden="true" />
          <p>{children}</p>
        </>
      )}
    </div>
  )
}

/** A message for an empty list or page. The children offer actions, such as creating the first record. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Reports whether an error says that the loaded data does not exist, or is not visible to the user. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof WeftError && error.kind === 'notFound'

/**
 * A message for a failed load: the text of the error and, if `retry` is given, a button that tries again. An error of kind
 * `notFound` or `invalid` has no button.
 */
export function Failed({
  title = 'This could not be loaded',
  error,
  retry,
}: {
  title?: string
  error: unknown
  retry?: (() => void) | undefined
}) {
  // Another attempt would not find it either.
  if (isNotFound(error))
    return (
      <Empty title="This was not found">
        <p>{errorText(error)}</p>
      </Empty>
    )
  const isInvalid = error instanceof WeftError && error.kind === 'invalid'
  return (
    <div className="state note a" role="alert">
      <h2>{title}</h2>
      <p>
        {typeof error === 'string' ? error : errorText(error)}
        {!isInvalid && ' Nothing was lost.'}
      </p>
      {retry && !isInvalid && (
        <p className="acts">
          <button type="button" className="button quiet" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </div>
  )
}

/**
 * A message for the time while the server cannot be reached. The children describe which parts still work.
 *
 * @public
 */
export function Offline({ children }: { children: ReactNode }) {
  return (
    <p className="note c" role="status">
      {children}
    </p>
  )
}

/**
 * A message for a change that the server refused. The actions are buttons for the choices of the user.
 *
 * @public
 */
export function Refused({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <div className="note a" role="alert">
      <p>{children}</p>
      {actions !== undefined && <p className="acts">{actions}</p>}
    </div>
  )
}
