import { type FormEvent, useId, useState } from 'react'
import { freeName } from './question/edit.ts'
import { nodesOf } from './question/nodes.ts'
import type { WireFilter, WireQuery } from './question/wire.ts'
import { operators, pathName, specialTypes } from './question/words.ts'

/** A condition that was entered in a form. */
export interface FormCondition {
  /** The index of the node in the result of `nodesOf`. */
  readonly node: number
  readonly filter: WireFilter
}

interface ConditionFormProps {
  readonly query: WireQuery
  /** The condition to change; undefined for a new one. */
  readonly filter?: WireFilter | undefined
  /** The node of a new condition, as an index in the result of `nodesOf`. */
  readonly node?: number
  readonly save: (condition: FormCondition) => void
}

/** The form for a condition: its node and type, the operator and the operand. */
export function ConditionForm({ query, filter, node = 0, save }: ConditionFormProps) {
  const nodes = nodesOf(query)
  const named = nodes.findIndex(
    (one) => filter?.operateon !== undefined && one.node.name === filter.operateon,
  )
  const [op, setOp] = useState(filter?.logicoperator?.toLowerCase() ?? '')
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const text = (name: string) => String(data.get(name) ?? '').trim() || undefined
    event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
    save({
      node: Number(data.get('node')),
      filter: definedOnly({
        ...filter,
        name: text('name') ?? filter?.name ?? newName(query, text('type')),
        type: text('type'),
        logicoperator: text('op'),
        search: op === 'exists' ? undefined : String(data.get('search') ?? ''),
      }),
    })
  }
  return (
    <form className="options" onSubmit={submit}>
      <span className="field">
        <label htmlFor={`${id}about`}>About</label>
        <select id={`${id}about`} name="node" defaultValue={named < 0 ? node : named}>
          {nodes.map(({ path }, i) => (
            <option key={path.join('.')} value={i}>
              {path.length === 0 ? 'The record itself' : pathName(query, path)}
            </option>
          ))}
        </select>
      </span>
      <span className="field">
        <label htmlFor={`${id}typeofthevalue`}>Type of the value</label>
        <input
          id={`${id}typeofthevalue`}
          name="type"
          defaultValue={filter?.type}
          list={`${id}types`}
          placeholder="any"
          autoComplete="off"
        />
      </span>
      <datalist id={`${id}types`}>
        {Object.entries(specialTypes).map(([type, words]) => (
          <option key={type} value={type}>
            {words}
          </option>
        ))}
      </datalist>
      <div className="pair">
        <span className="field">
          <label htmlFor={`${id}condition`}>Condition</label>
          <select
            id={`${id}condition`}
            name="op"
            value={op}
            onChange={(event) => setOp(event.currentTarget.value)}
          >
            <option value="">is (default)</option>
            {operators.map((one) => (
              <option key={one.op} value={one.op}>
                {one.words}
              </option>
            ))}
          </select>
        </span>
        {op !== 'exists' && (
          <span className="field">
            <label htmlFor={`${id}value`}>Value</label>
            <input
              id={`${id}value`}
              name="search"
              defaultValue={String(filter?.search ?? '')}
              autoComplete="off"
            />
          </span>
        )}
      </div>
      <span className="field">
        <label htmlFor={`${id}nameinthecombination`}>Name in the combination</label>
        <input
          id={`${id}nameinthecombination`}
          name="name"
          defaultValue={filter?.name}
          placeholder="chosen for you"
          pattern="[^\s()]+"
          autoComplete="off"
        />
      </span>
      <button type="submit" className="button">
        {filter ? 'Change' : 'Add'}
      </button>
    </form>
  )
}

/** Returns a name that no filter has yet. */
function newName(query: WireQuery, type: string | undefined): string {
  const taken = new Set((query.filters ?? []).flatMap(({ name }) => name ?? []))
  return freeName(type?.replace(/^the_/, '') ?? 'condition', taken)
}

const definedOnly = (filter: { readonly [member: string]: unknown }): WireFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

interface OperandFormProps {
  readonly save: (op: string, search: string) => void
  readonly back: () => void
}

/** The form for the operator and the operand, after the user has chosen the subject of a condition. */
export function OperandForm({ save, back }: OperandFormProps) {
  const id = useId()
  const [op, setOp] = useState('=')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const search = String(new FormData(event.currentTarget).get('search') ?? '')
    event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
    save(op, search)
  }
  return (
    <form className="options" onSubmit={submit}>
      <button type="button" className="button bare" onClick={back}>
        Back
      </button>
      <span className="field">
        <label htmlFor={`${id}condition`}>Condition</label>
        <select
          id={`${id}condition`}
          value={op}
          onChange={(event) => setOp(event.currentTarget.value)}
        >
          {operators.map((one) => (
            <option key={one.op} value={one.op}>
              {one.words}
            </option>
          ))}
        </select>
      </span>
      {op !== 'exists' && (
        <span className="field">
          <label htmlFor={`${id}value`}>Value</label>
          {/* biome-ignore lint/a11y/noAutofocus: the field follows a choice in the same menu */}
          <input id={`${id}value`} name="search" autoFocus autoComplete="off" />
        </span>
      )}
      <button type="submit" className="button">
        Add
      </button>
    </form>
  )
}
