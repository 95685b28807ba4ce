import type { Id } from '@weft/client'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { fieldLabel, namesOf } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import { type ConsoleType, useTypes } from '../model/types.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { LinkGroup, NodeInfo } from './api.ts'
import {
  addRecord,
  connectRecords,
  type MergePlan,
  mergeRecords,
  planMerge,
  renameRecord,
} from './changes.ts'
import type { Drawing } from './drawing.ts'
import { FindRecord } from './find-record.tsx'
import { linkName, nodeName } from './names.ts'

/** The dialog that is open over the drawing. */
export type OpenDialog =
  | { readonly kind: 'add'; readonly from?: NodeInfo | undefined }
  | { readonly kind: 'link'; readonly from: NodeInfo }
  | { readonly kind: 'connect'; readonly from: NodeInfo; readonly to: NodeInfo }
  | { readonly kind: 'rename'; readonly node: NodeInfo }
  | { readonly kind: 'merge'; readonly node: NodeInfo }
  | { readonly kind: 'path'; readonly from: NodeInfo }
  | { readonly kind: 'find' }
  | { readonly kind: 'save' }
  | { readonly kind: 'pick'; readonly of: Id; readonly group: LinkGroup }

/** A dialog with one form: a failed submission shows the reason and keeps the input. */
function FormDialog({
  title,
  submitLabel,
  submit,
  close,
  children,
}: {
  readonly title: string
  readonly submitLabel: string
  readonly submit: () => Promise<unknown>
  readonly close: () => void
  readonly children: ReactNode
}) {
  const [status, setStatus] = useState<'ready' | 'working'>('ready')
  const [problem, setProblem] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, select, button')?.focus()
  }, [])
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setStatus('working')
    setProblem('')
    try {
      await submit()
      close()
    } catch (error) {
      setProblem(`${errorText(error)} Nothing was changed.`)
      setStatus('ready')
    }
  }
  return (
    <Dialog title={title} isOpen close={close} className="narrow">
      <form ref={form} className="graph-form" onSubmit={onSubmit}>
        {children}
        <p className="problem" role="alert">
          {problem}
        </p>
        <p className="acts">
          <BusyButton type="submit" className="button" isBusy={status === 'working'}>
            {submitLabel}
          </BusyButton>
          <button type="button" className="button quiet" onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  )
}

/** Adds a record to the graph and to the drawing, with a link from the node `from` if it is given. */
export function AddDialog({
  from,
  drawing,
  close,
}: {
  readonly from?: NodeInfo | undefined
  readonly drawing: Drawing
  readonly close: () => void
}) {
  const { types } = useTypes()
  const records = types.filter(({ kind }) => kind === 'record')
  const [type, setType] = useState(records[0]?.name ?? 'the_note')
  const [text, setText] = useState('')
  const options = from ? linksFrom(types, drawing, from) : []
  const [link, setLink] = useState(options[0] ?? '')
  const field = labelField(types, drawing, type)
  return (
    <FormDialog
      title={from ? `Add a record linked from ${nodeName(from)}` : 'Add a record'}
      submitLabel="Add"
      submit={() =>
        addRecord(type, field, text, from && { id: from.id, link: fullLink(link, from.type) })
      }
      close={close}
    >
      <label className="field">
        <span>Type</span>
        <select value={type} onChange={(event) => setType(event.target.value)}>
          {records.map(({ name, names }) => (
            <option key={name} value={name}>
              {names.one}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{fieldLabel(field, type)}</span>
        <input required value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      {from && <LinkField {...{ options, link, setLink, types }} />}
    </FormDialog>
  )
}

/** A field for the name of a link. It offers the names of links in the drawing and the schema, and accepts new names. */
function LinkField({
  options,
  link,
  setLink,
  types,
}: {
  readonly options: readonly string[]
  readonly link: string
  readonly setLink: (link: string) => void
  readonly types: readonly ConsoleType[]
}) {
  return (
    <label className="field">
      <span>Link</span>
      <input
        required
        list="graph-links"
        value={link}
        placeholder="customer"
        onChange={(event) => setLink(event.target.value)}
      />
      <datalist id="graph-links">
        {options.map((name) => (
          <option key={name} value={name}>
            {linkName(types, name)}
          </option>
        ))}
      </datalist>
    </label>
  )
}

/** Returns the full name of a link: `the_order_customer` for `customer` from an order. */
const fullLink = (link: string, type: string): string =>
  link.startsWith('the_') ? link : `${type}_${link.trim().toLowerCase().replaceAll(/\W+/g, '_')}`

/** Returns the links that nodes of this type have in the drawing or the schema. */
function linksFrom(
  types: readonly ConsoleType[],
  drawing: Drawing,
  { type }: NodeInfo,
): readonly string[] {
  const found = [...drawing.groups.values(), [...drawing.links.values()]]
    .flat()
    .map((one) => one.type)
    .filter((name) => name.startsWith(`${type}_`))
  const declared = Object.entries(types.find(({ name }) => name === type)?.declared?.fields ?? {})
    .filter(([, { kind }]) => kind === 'one' || kind === 'many')
    .map(([name, { kind }]) => `${type}_${kind === 'many' ? 's_' : ''}${name}`)
  return [...new Set([...declared, ...found])]
}

/** Returns the field that names the records of a type, according to the schema or else to a drawn record. */
function labelField(types: readonly ConsoleType[], drawing: Drawing, type: string): string {
  const declared = Object.entries(types.find(({ name }) => name === type)?.declared?.fields ?? {})
  const texts = declared.filter(([, { kind }]) => kind === 'text').map(([name]) => name)
  const usual = texts.find((name) => /^(name|title|label)$/.test(name)) ?? texts[0]
  const drawn = [...drawing.nodes.values()].find((node) => node.type === type && node.labelType)
  return usual ?? drawn?.labelType?.replace(/^the_/, '') ?? 'name'
}

/** Links two records that were dragged onto each other. */
export function ConnectDialog({
  from,
  to,
  drawing,
  close,
}: {
  readonly from: NodeInfo
  readonly to: NodeInfo
  readonly drawing: Drawing
  readonly close: () => void
}) {
  const { types } = useTypes()
  const options = linksFrom(types, drawing, from)
  const target = to.type.replace(/^the_/, '')
  const [link, setLink] = useState(
    options.find((name) => name.endsWith(`_${target}`)) ?? options[0] ?? '',
  )
  return (
    <FormDialog
      title={`Link ${nodeName(from)} to ${nodeName(to)}`}
      submitLabel="Link"
      submit={() => connectRecords(from, fullLink(link, from.type), to)}
      close={close}
    >
      <LinkField {...{ options, link, setLink, types }} />
    </FormDialog>
  )
}

/** Changes the text that names a record. */
export function RenameDialog({ node, close }: { node: NodeInfo; close: () => void }) {
  const [text, setText] = useState(node.label)
  const field = node.labelType ?? 'the_name'
  return (
    <FormDialog
      title={`Rename ${nodeName(node)}`}
      submitLabel="Rename"
      submit={() => renameRecord(node, text)}
      close={close}
    >
      <label className="field">
        <span>{fieldLabel(field)}</span>
        <input required value={text} onChange={(event) => setText(event.target.value)} />
      </label>
    </FormDialog>
  )
}

/** Asks for the record to keep, shows the result of a merge with it, and merges the two records. */
export function MergeDialog({ node, close }: { node: NodeInfo; close: () => void }) {
  const [kept, setKept] = useState<NodeInfo>()
  if (kept) return <MergePreview kept={kept} removed={node} close={close} />
  return (
    <Dialog title={`Merge ${nodeName(node)} with`} isOpen close={close} className="narrow">
      <FindRecord type={node.type} verb="Merge with" except={node.id} choose={setKept} />
    </Dialog>
  )
}

function MergePreview({
  kept,
  removed,
  close,
}: {
  readonly kept: NodeInfo
  readonly removed: NodeInfo
  readonly close: () => void
}) {
  const [plan, setPlan] = useState<MergePlan>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    planMerge(kept, removed).then(setPlan, (error) => setProblem(errorText(error)))
  }, [kept, removed])
  if (!plan)
    return (
      <Dialog title="Merge" isOpen close={close} className="narrow">
        <p role={problem ? 'alert' : 'status'}>{problem || 'Loading both records.'}</p>
      </Dialog>
    )
  return (
    <FormDialog
      title={`Merge ${nodeName(removed)} into ${nodeName(kept)}`}
      submitLabel="Merge"
      submit={() => mergeRecords(plan)}
      close={close}
    >
      <dl className="graph-merge">
        <div>
          <dt>Kept</dt>
          <dd>{nodeName(kept)}</dd>
        </div>
        <div>
          <dt>Removed</dt>
          <dd>
            {nodeName(removed)}, a {namesOf(removed.type).one.toLowerCase()}
          </dd>
        </div>
        <div>
          <dt>Links</dt>
          <dd>
            {plan.moved.length} move to {nodeName(kept)}
            {plan.same > 0 && `; ${plan.same} ${plan.same === 1 ? 'is' : 'are'} already there`}
          </dd>
        </div>
        {Object.entries(plan.fields).map(([name, text]) => (
          <div key={name}>
            <dt>{fieldLabel(name)}</dt>
            <dd>{text}, from the removed record</dd>
          </div>
        ))}
        {Object.entries(plan.dropped).map(([name, text]) => (
          <div key={name}>
            <dt>{fieldLabel(name)}</dt>
            <dd>
              <del>{text}</del>, because the kept record has its own
            </dd>
          </div>
        ))}
      </dl>
    </FormDialog>
  )
}

/** Saves the drawing under a name. */
export function SaveDialog({
  save,
  close,
}: {
  readonly save: (name: string) => Promise<void>
  readonly close: () => void
}) {
  const [name, setName] = useState('')
  return (
    <FormDialog
      title="Save this drawing"
      submitLabel="Save"
      submit={() => save(name.trim())}
      close={close}
    >
      <label className="field">
        <span>Name</span>
        <input required value={name} onChange={(event) => setName(event.target.value)} />
      </label>
    </FormDialog>
  )
}
