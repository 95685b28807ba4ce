import { useRef, useState } from 'react'
import type { FoundType } from '../model/found.ts'
import { useFound } from '../model/found.ts'
import { fieldLabel, namesOf } from '../model/names.ts'
import { Icon } from '../parts/icon.tsx'
import { Loading } from '../parts/states.tsx'
import type { Walk, WalkStep } from './question/walk.ts'

interface WalkMenuProps {
  /** The type of the records at the start; empty if it is unknown. */
  readonly type: string
  /** Called with the chosen path. */
  readonly choose: (walk: Walk) => void
  /** Called with the name of a connection or type that was typed. */
  readonly chooseName: (name: string) => void
  /** Whether the menu stays open after a choice, because a form follows. */
  readonly staysOpen?: boolean
  /** Whether a linked record itself can be chosen, not only its fields. */
  readonly takesRecords: boolean
}

/** A list of the fields and links of a type. A link to records leads on to their fields. */
export function WalkMenu(props: WalkMenuProps) {
  const { type, takesRecords, staysOpen = false } = props
  const menu = useRef<HTMLDivElement>(null)
  const [steps, setSteps] = useState<readonly WalkStep[]>([])
  const current = steps.at(-1)?.type ?? type
  const finding = useFound(current === '' ? [] : [current])(current)
  const close = () => {
    setSteps([])
    if (!staysOpen) menu.current?.closest<HTMLElement>('[popover]')?.hidePopover()
  }
  const choose = (walk: Walk) => {
    props.choose(walk)
    close()
  }
  const chooseName = (name: string) => {
    props.chooseName(name)
    close()
  }
  return (
    <div className="walk" ref={menu}>
      {steps.length > 0 && (
        <p className="menu-title">
          <button
            type="button"
            className="button bare"
            onClick={() => setSteps(steps.slice(0, -1))}
          >
            <Icon name="left" /> Back
          </button>
          {steps.map((step) => stepName(step)).join(' › ')}
        </p>
      )}
      {takesRecords && steps.length > 0 && (
        <Choice label="The records themselves" choose={() => choose({ steps, part: undefined })} />
      )}
      {current !== '' && finding.status === 'loading' && (
        <Loading>Still loading the fields.</Loading>
      )}
      {finding.status === 'error' && current !== '' && (
        <p className="menu-title">{finding.message}</p>
      )}
      {finding.status === 'ready' && (
        <Choices
          found={finding.found}
          choose={(walk) => choose({ ...walk, steps: [...steps, ...walk.steps] })}
          enter={(step) => setSteps([...steps, step])}
        />
      )}
      <NameForm chooseName={chooseName} />
    </div>
  )
}

interface ChoicesProps {
  readonly found: FoundType
  readonly choose: (walk: Walk) => void
  readonly enter: (step: WalkStep) => void
}

function Choices({ found, choose, enter }: ChoicesProps) {
  return (
    <>
      {found.fields.map(({ name, examples }) => (
        <Choice
          key={name}
          label={fieldLabel(name)}
          detail={examples[0]}
          choose={() => choose({ steps: [], part: `the_${name}` })}
        />
      ))}
      {found.links.map(({ connection, reverse, types, kind, examples }) => {
        const step = { connection, reverse, type: types[0] ?? '' }
        const isValue = kind !== ''
        return (
          <Choice
            key={`${connection} ${reverse}`}
            label={stepName(step)}
            detail={isValue ? examples[0] : `${reverse ? 'links to this' : 'link'} ›`}
            choose={() => (isValue ? choose({ steps: [step], part: undefined }) : enter(step))}
          />
        )
      })}
    </>
  )
}

function Choice({
  label,
  detail,
  choose,
}: {
  readonly label: string
  readonly detail?: string | undefined
  readonly choose: () => void
}) {
  return (
    <button type="button" className="menu-item" onClick={choose}>
      <span>{label}</span>
      {detail !== undefined && <span className="soft">{detail.slice(0, 24)}</span>}
    </button>
  )
}

/** A field for the full name of a connection or type. */
function NameForm({ chooseName }: { chooseName: (name: string) => void }) {
  return (
    <form
      className="name-form"
      onSubmit={(event) => {
        event.preventDefault()
        const name = String(new FormData(event.currentTarget).get('name')).trim()
        if (name !== '') chooseName(name)
        event.currentTarget.reset()
      }}
    >
      <input
        className="input"
        name="name"
        aria-label="Another name"
        placeholder="the_order_status"
        autoComplete="off"
      />
      <button type="submit" className="button quiet">
        Add
      </button>
    </form>
  )
}

/** Returns a step in words. A step against the direction of the connection has the name of the records that it leads to. */
function stepName({ connection, reverse, type }: WalkStep): string {
  if (reverse) return namesOf(type === '' ? connection : type).many
  const owner = connection.includes('_s_')
    ? connection.slice(0, connection.indexOf('_s_'))
    : connection.slice(0, connection.lastIndexOf('_'))
  return fieldLabel(connection, owner)
}
