import { useEffect, useState } from 'react'
import { startSteps } from '../first/steps.ts'
import { useConsole } from '../model/console.tsx'
import { errorText } from '../model/request.ts'
import { navigate } from '../model/router.ts'
import { type ConsoleType, reloadTypes, useTypes } from '../model/types.ts'
import { BusyButton } from '../parts/busy-button.tsx'
import { Main } from '../parts/frame.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { createRecords } from './changes.ts'
import { gridFocus } from './grid-focus.ts'
import { typeName } from './new-type.tsx'
import { isSiteType } from './type-side.tsx'

/** The start of Records: three ways to the first record, or a choice of types once there are some. */
export function FirstRun({ types, hasOwn }: { types: readonly ConsoleType[]; hasOwn: boolean }) {
  const { isAdmin } = useConsole()
  const records = types.filter(
    ({ kind, count, name }) => kind === 'record' && count > 0 && !isSiteType(name),
  )
  useEffect(() => {
    if (!hasOwn) startSteps()
  }, [hasOwn])
  return (
    <Main label="Records">
      <div className="hello">
        <div className="inner">
          <h1>{hasOwn ? 'Choose a type of records.' : 'Your server is running.'}</h1>
          <p className="lead">
            {hasOwn
              ? 'Each opens a grid with its newest records.'
              : 'Add some data. You can edit every cell and undo every change.'}
          </p>
          {hasOwn && <TypeCards types={records} />}
          <ul className="ways">
            {isAdmin && <SampleWay />}
            <ImportFileWay />
            <FirstRecordWay />
          </ul>
        </div>
      </div>
    </Main>
  )
}

const TypeCards = ({ types }: { types: readonly ConsoleType[] }) => (
  <ul className="type-cards">
    {types.map(({ name, names, mark, count }) => (
      <li key={name}>
        <Link to={`/records/${name}`}>
          <ThreadMark mark={mark} /> {names.many}{' '}
          <span className="soft">{count.toLocaleString('en')}</span>
        </Link>
      </li>
    ))}
  </ul>
)

/** Adds the sample shop, or removes exactly what it added. */
function SampleWay() {
  const { request, announce, undo } = useConsole()
  const hasSample = useHasSample()
  const [status, setStatus] = useState<'idle' | 'working'>('idle')
  const [problem, setProblem] = useState('')
  const add = async () => {
    await request('/api/v1/samples', { json: { name: 'shop' } })
    await reloadTypes()
  }
  const remove = async () => {
    await request('/api/v1/samples/shop', { method: 'DELETE' })
    await reloadTypes()
  }
  const run = async () => {
    setStatus('working')
    try {
      await (hasSample ? remove() : add())
      if (hasSample) undo.push({ label: 'Sample shop removed', undo: add, redo: remove })
      else {
        undo.push({ label: 'Sample shop added', undo: remove, redo: add })
        gridFocus.isWanted = true
        navigate('/records/the_order')
        announce('Sample shop added. Type to change the selected cell')
      }
    } catch (error) {
      setProblem(errorText(error))
    }
    setStatus('idle')
  }
  return (
    <li className="way b">
      <h2>{hasSample ? 'The sample shop' : 'Try it with sample data'}</h2>
      <p>A small shop: customers, orders with lines, products. One click removes it again.</p>
      <p className="problem" role="alert">
        {problem}
      </p>
      <BusyButton
        className={hasSample ? 'button quiet' : 'button'}
        isBusy={status === 'working'}
        onClick={() => void run()}
      >
        {hasSample ? 'Remove the sample shop' : 'Add the sample shop'}
      </BusyButton>
    </li>
  )
}

/** Returns whether the sample shop was added. Reads this again when the types change. */
function useHasSample(): boolean {
  const { request } = useConsole()
  const { types } = useTypes()
  const [hasSample, setSample] = useState(false)
  useEffect(() => {
    let isCurrent = true
    const read = async () => {
      const samples =
        await request<readonly { name: string; added: string | null }[]>('/api/v1/samples')
      const shop = samples.find(({ name }) => name === 'shop')
      if (isCurrent) setSample(types.length > 0 && typeof shop?.added === 'string')
    }
    read().catch(() => {
      // The list could not be loaded: the button offers to add the sample, and the server refuses a second one.
    })
    return () => {
      isCurrent = false
    }
  }, [request, types])
  return hasSample
}

function ImportFileWay() {
  const submit = (form: FormData) => {
    const type = typeName(String(form.get('type')))
    if (type !== '') navigate(`/records/the_${type}/import`)
  }
  return (
    <li className="way c">
      <h2>Import a file</h2>
      <p>CSV or JSON. You see the records before they are written.</p>
      <form className="stack" action={submit}>
        <label className="field">
          <span>What does a row describe?</span>
          <input name="type" required maxLength={60} placeholder="Customer" />
        </label>
        <button type="submit" className="button quiet">
          Choose a file
        </button>
      </form>
    </li>
  )
}

function FirstRecordWay() {
  const { client, undo } = useConsole()
  const submit = async (form: FormData) => {
    const type = typeName(String(form.get('type')))
    const name = String(form.get('name')).trim()
    if (type === '' || name === '') return
    await createRecords({ client, undo }, `the_${type}`, [{ name }], `${name} created`)
    navigate(`/records/the_${type}`)
  }
  return (
    <li className="way d">
      <h2>Create a first record</h2>
      <form className="stack" action={submit}>
        <label className="field">
          <span>What does it describe?</span>
          <input name="type" required maxLength={60} placeholder="Product" />
        </label>
        <label className="field">
          <span>Its name</span>
          <input name="name" required maxLength={255} placeholder="Pencil" />
        </label>
        <button type="submit" className="button quiet">
          Create
        </button>
      </form>
    </li>
  )
}
