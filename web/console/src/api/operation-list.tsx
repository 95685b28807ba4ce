import { setParams, useLocation } from '../model/router.ts'
import type { Operation } from './openapi.ts'
import { TryIt } from './try-it.tsx'

/** The operations of an area. The address names the open operation. */
export function OperationList({
  area,
  operations,
}: {
  area: string
  operations: readonly Operation[]
}) {
  const { params } = useLocation()
  const open = params.get('op')
  return (
    <>
      <div className="bar">
        <h1 className="title">{area}</h1>
        <span className="grow" />
        <a className="underline" href="/api/docs">
          All on one page
        </a>
      </div>
      <div className="page">
        {operations.map((operation) => (
          <section key={operation.id} className="operation">
            <h2>
              <button
                type="button"
                aria-expanded={operation.id === open}
                onClick={() => setParams({ op: operation.id === open ? undefined : operation.id })}
              >
                <span className={`method ${operation.method.toLowerCase()}`}>
                  {operation.method}
                </span>{' '}
                <span className="mono">{operation.path}</span>{' '}
                <span className="summary">{operation.summary}</span>
              </button>
            </h2>
            {operation.id === open && <TryIt key={operation.id} operation={operation} />}
          </section>
        ))}
      </div>
    </>
  )
}
