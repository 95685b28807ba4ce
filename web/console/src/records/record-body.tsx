import { useMemo, useState, useSyncExternalStore } from 'react'
import { useConsole } from '../model/console.tsx'
import { navigate } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { AccessSection } from './access-section.tsx'
import { buildQuery } from './build-query.ts'
import { labelOf, readRow } from './cell.ts'
import { removeRecords } from './changes.ts'
import type { Column } from './columns.ts'
import { FailedWrites } from './failed-writes.tsx'
import { FieldRow } from './field-row.tsx'
import { PointsHere } from './points-here.tsx'
import { RawSection } from './raw-section.tsx'
import { useRights } from './rights.ts'
import { useColumns } from './use-columns.ts'
import { useNode } from './use-node.ts'

interface RecordBodyProps {
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  readonly id: number
}

/** A record: its name, fields and links, the links to it, its access, and raw data for developers. */
export function RecordBody(props: RecordBodyProps) {
  const columns = useColumns(props.type)
  if (columns.status === 'loading') return <Loading>Still loading the record.</Loading>
  if (columns.status === 'error') return <Failed error={columns.error} retry={columns.retry} />
  return <LoadedBody {...props} columns={columns.columns} />
}

function LoadedBody({
  type,
  types,
  id,
  columns,
}: RecordBodyProps & { readonly columns: readonly Column[] }) {
  const { client, undo } = useConsole()
  const [live] = useState(() => {
    const view = { conditions: [], sort: [], columns: [], group: '', text: '' }
    const { type: _, ...query } = buildQuery(type.name, columns, view, types)
    return client.query({ ...query, conceptIds: [id], pageSize: 1 }, { format: 'DATAID' })
  })
  const state = useSyncExternalStore(live.subscribe, live.get)
  useSyncExternalStore(client.sync.subscribe, client.sync.get)
  const row = useMemo(() => {
    const [first] = state.status === 'ready' ? state.data : []
    return first === undefined ? undefined : readRow(first)
  }, [state])
  const realId = client.realId(id)
  const node = useNode(realId)
  const rights = useRights([id])
  if (state.status === 'loading') return <Loading>Still loading the record.</Loading>
  if (state.status === 'error')
    return <Failed error={state.error} retry={() => void live.refresh()} />
  if (!row)
    return (
      <Empty title="There is no such record, or you may not see it">
        <p>It may have been deleted. Undo restores records that you deleted in this tab.</p>
      </Empty>
    )
  // If the owner is unknown because the server cannot be reached, the user may try to change the record.
  const mayChange = rights.mayChange(id) ?? !client.sync.get().online
  const title = labelOf(row.data) || `${type.names.one} ${row.id}`
  const remove = async () => {
    await removeRecords({ client, undo }, [row.id], `${type.names.one} ${title} deleted`)
    navigate(`/records/${type.name}`)
  }
  return (
    <div className="body">
      <h1>{title}</h1>
      <FailedWrites id={row.id} />
      <dl className="pairs section">
        {columns.map((column) => (
          <FieldRow key={column.key} {...{ column, row, types }} mayChange={mayChange} />
        ))}
      </dl>
      {node.status === 'ready' && (
        <>
          <PointsHere node={node.node} type={type} types={types} title={title} />
          <AccessSection node={node.node} />
        </>
      )}
      {node.status === 'error' && <Failed error={node.error} />}
      {realId !== undefined && <RawSection type={type} id={realId} row={row} />}
      {realId !== undefined && mayChange && (
        <p className="acts section u">
          <button type="button" className="button quiet" onClick={() => void remove()}>
            <Icon name="trash" /> Delete
          </button>
        </p>
      )}
    </div>
  )
}
