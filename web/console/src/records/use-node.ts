import { useEffect, useState } from 'react'
import { errorText, request } from '../model/request.ts'

/** A concept with the numbers of its links, as returned by `GET /api/v1/graph/node`. */
export interface GraphNode {
  readonly node: {
    readonly id: number
    readonly type: string
    readonly label: string
    readonly owner: number
    readonly access: number
  }
  readonly groups: readonly LinkGroup[]
}

/** The links of one type and direction. */
interface LinkGroup {
  readonly type: string
  readonly reverse: boolean
  readonly count: number
}

type NodeState =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly node: GraphNode }
  | { readonly status: 'error'; readonly error: string }

/** Loads a concept with the numbers of its links. A record that is not on the server yet has none. */
export function useNode(id: number | undefined): NodeState {
  const [state, setState] = useState<NodeState>({ status: 'loading' })
  useEffect(() => {
    if (id === undefined || id < 0) return
    let isCurrent = true
    request<GraphNode>(`/api/v1/graph/node?id=${id}&nearest=0`).then(
      (node) => isCurrent && setState({ status: 'ready', node }),
      (error) => isCurrent && setState({ status: 'error', error: errorText(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [id])
  return state
}
