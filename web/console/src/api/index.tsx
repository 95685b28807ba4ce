import { useConsole } from '../model/console.tsx'
import { useLoad } from '../model/load.ts'
import { useLocation } from '../model/router.ts'
import { SectionRoom } from '../parts/sections.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { type OpenApi, operationsOf } from './openapi.ts'
import { OperationList } from './operation-list.tsx'
import { Snippets } from './snippets.tsx'
import './api.css'

/**
 * API: the operations that the user may call, with a form that sends each, and code for a type.
 *
 *   /api?type=the_order&in=go     code that reads a type in TypeScript, Go or curl
 *   /api/Users?op=adminUsers      the operations of an area; one is open
 */
export function Room() {
  const { isAdmin } = useConsole()
  const { rest } = useLocation()
  const { data, status, error, reload } = useLoad<OpenApi>('/api/openapi.json')
  const operations = data ? operationsOf(data, isAdmin) : []
  const areas = data?.tags.filter(({ name }) => operations.some(({ area }) => area === name)) ?? []
  const current = rest[0] ?? 'code'
  const shown = operations.filter(({ area }) => area === current)
  return (
    <SectionRoom
      room="api"
      title="API"
      groups={[
        { title: 'Start', sections: [{ id: 'code', label: 'Code for a type' }] },
        {
          title: 'Operations',
          sections: areas.map(({ name }) => ({ id: name, label: name })),
        },
      ]}
      current={current}
      footer="Requests are sent with your account and its permissions."
    >
      {current !== 'code' && status === 'loading' && <Loading>Still loading the API.</Loading>}
      {status === 'error' && (
        <Failed
          title="The operations could not be loaded"
          error={error}
          retry={() => void reload()}
        />
      )}
      {current === 'code' && <Snippets />}
      {current !== 'code' && data && shown.length === 0 && (
        <Empty title="There is no such area, or you may not use it" />
      )}
      {shown.length > 0 && <OperationList area={current} operations={shown} />}
    </SectionRoom>
  )
}
