import { useConsole } from '../model/console.tsx'
import { useLoad } from '../model/load.ts'
import { request } from '../model/request.ts'
import { navigate } from '../model/router.ts'
import { useRun } from '../model/run.ts'
import { reloadTypes } from '../model/types.ts'
import { sampleLabel } from './steps.ts'
import './first.css'

interface Sample {
  readonly name: string
  readonly title: string
  readonly records: number
  /** The access of the added records; empty before they are added. */
  readonly access: string
  /** When the sample was added, in ISO 8601; null before. */
  readonly added: string | null
}

/** The sample data that this admin added, with a button that removes it. */
export function SampleData() {
  const { isAdmin } = useConsole()
  return isAdmin ? <AddedSamples /> : null
}

function AddedSamples() {
  const { undo } = useConsole()
  const run = useRun()
  const { data, reload } = useLoad<readonly Sample[]>('/api/v1/samples')
  const added = data?.filter((sample) => sample.added !== null) ?? []
  const change = async (work: () => Promise<unknown>) => {
    await work()
    await Promise.all([reload(), reloadTypes()])
  }
  const remove = ({ name, title, access }: Sample) => {
    const removal = () => change(() => request(`/api/v1/samples/${name}`, { method: 'DELETE' }))
    const addition = () => change(() => request('/api/v1/samples', { json: { name, access } }))
    void run(async () => {
      await removal()
      navigate('/records')
      undo.push({ label: `${sampleLabel}data removed: ${title}`, undo: addition, redo: removal })
    })
  }
  return added.map((sample) => (
    <p key={sample.name} className="sample-data">
      <span>Sample data: {sample.title}</span>
      <button
        type="button"
        className="button bare"
        aria-label={`Remove the sample data: ${sample.title}`}
        onClick={() => remove(sample)}
      >
        Remove
      </button>
    </p>
  ))
}
