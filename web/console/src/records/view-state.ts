/** A condition of a view. */
export interface Condition {
  /** The key of a column. */
  readonly column: string
  readonly op: ConditionOp
  readonly value: string
}

/** The comparisons that the filter builder offers. */
export type ConditionOp = 'is' | 'isNot' | 'contains' | 'min' | 'max' | 'empty' | 'notEmpty'

/** A sort key. */
interface SortKey {
  readonly column: string
  readonly isDescending: boolean
}

/** The state of a grid, all of it in the address. */
export interface ViewState {
  readonly conditions: readonly Condition[]
  readonly sort: readonly SortKey[]
  /** The keys of the visible columns, in order; empty shows the default. */
  readonly columns: readonly string[]
  /** The key of the column by which rows are grouped; empty for none. */
  readonly group: string
  /** The searched text. */
  readonly text: string
}

const ops: readonly string[] = ['is', 'isNot', 'contains', 'min', 'max', 'empty', 'notEmpty']

/** Reads the state of a grid from the search parameters of an address. Parts that cannot be read are left out. */
export function readView(params: URLSearchParams): ViewState {
  return {
    conditions: params.getAll('filter').flatMap(readCondition),
    sort: splitList(params.get('sort')).map((key) => ({
      column: key.replace(/^-/, ''),
      isDescending: key.startsWith('-'),
    })),
    columns: splitList(params.get('cols')),
    group: params.get('group') ?? '',
    text: params.get('q') ?? '',
  }
}

/** A filter in an address is `column:op:value`. */
function readCondition(text: string): readonly Condition[] {
  const [column = '', op = '', ...value] = text.split(':')
  if (column === '' || !ops.includes(op)) return []
  return [{ column, op: op as ConditionOp, value: value.join(':') }]
}

const splitList = (text: string | null): readonly string[] =>
  (text ?? '').split(',').filter((part) => part !== '')

/** Writes the state of a grid as search parameters. The parameter `open` of `keep` is kept. */
export function writeView(view: ViewState, keep: URLSearchParams = new URLSearchParams()): string {
  const params = new URLSearchParams()
  for (const { column, op, value } of view.conditions)
    params.append('filter', `${column}:${op}:${value}`)
  const sort = view.sort.map(({ column, isDescending }) => (isDescending ? `-${column}` : column))
  if (sort.length > 0) params.set('sort', sort.join(','))
  if (view.columns.length > 0) params.set('cols', view.columns.join(','))
  if (view.group !== '') params.set('group', view.group)
  if (view.text !== '') params.set('q', view.text)
  const open = keep.get('open')
  if (open !== null) params.set('open', open)
  const text = params.toString()
  return text && `?${text}`
}
