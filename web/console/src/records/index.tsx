import { useEffect, useMemo } from 'react'
import { storeLastType } from '../model/last-type.ts'
import { useLocation } from '../model/router.ts'
import { reloadTypes, type TypeList, useTypes } from '../model/types.ts'
import { Main } from '../parts/frame.tsx'
import { Link } from '../parts/link.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { FirstRun } from './first-run.tsx'
import { ImportPage } from './import-page.tsx'
import './records.css'
import { emptyType } from './empty-type.ts'
import { RecordPage } from './record-page.tsx'
import { TypeGrid } from './type-grid.tsx'
import { isSiteType, TypeSide } from './type-side.tsx'

/**
 * Records: a grid per type, and pages of records.
 *
 *   /records                       the types; in an empty store, the ways to add data (first-run.tsx)
 *   /records/the_order             grid (type-grid.tsx); `open=` shows a record next to it
 *   /records/the_order/100231      page of a record (record-page.tsx)
 *   /records/the_order/import      import (import-page.tsx)
 *
 * A grid is a query whose rows come in blocks (row-source.ts); the address holds its state (view-state.ts, build-query.ts).
 * Every change goes through changes.ts, which puts it on the undo list.
 */
export function Room() {
  const list = useTypes()
  const {
    rest: [name, part],
  } = useLocation()
  useEffect(() => {
    document.title = 'Records · Weft console'
  }, [])
  useEffect(() => {
    if (name !== undefined) storeLastType(name)
  }, [name])
  return (
    <>
      <TypeSide list={list} current={name} />
      <RoomMain list={list} name={name} part={part} />
    </>
  )
}

interface RoomMainProps {
  readonly list: TypeList
  readonly name: string | undefined
  readonly part: string | undefined
}

function RoomMain({ list, name, part }: RoomMainProps) {
  const type = useMemo(() => list.types.find((one) => one.name === name), [list.types, name])
  const hasOwn = list.types.some(
    ({ kind, count, name: one }) => kind === 'record' && count > 0 && !isSiteType(one),
  )
  if (list.status === 'error' && list.types.length === 0)
    return (
      <Main>
        <Failed error={list.error} retry={() => void reloadTypes()} />
      </Main>
    )
  if (list.status === 'loading')
    return (
      <Main>
        <Loading>Still loading the types.</Loading>
      </Main>
    )
  if (name === undefined) return <FirstRun types={list.types} hasOwn={hasOwn} />
  const imported = type ?? (/^the_/.test(name) ? emptyType(name) : undefined)
  if (imported && part === 'import') return <ImportPage type={imported} />
  if (!type)
    return (
      <Main>
        <Empty title="There is no such type, or you may not see it">
          <p>
            The address names <code>{name}</code>.
          </p>
          <p className="acts">
            <Link className="button quiet" to="/records">
              All types
            </Link>
          </p>
        </Empty>
      </Main>
    )
  if (part !== undefined && /^-?\d+$/.test(part))
    return <RecordPage type={type} types={list.types} id={Number(part)} />
  return <TypeGrid key={type.name} type={type} types={list.types} />
}
