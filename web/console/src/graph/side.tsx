import { showKeys } from '../model/keys.ts'
import { namesOf, numberText } from '../model/names.ts'
import { type ConsoleType, markOf } from '../model/types.ts'
import { Sidebar } from '../parts/frame.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { type Drawing, toggleType } from './drawing.ts'
import type { ColorBy, LegendEntry, SizeBy } from './looks.ts'
import type { SavedDrawing } from './saved.ts'
import { changeDrawing } from './store.ts'

/** The types in the drawing, the settings for colour and size, and the saved drawings. */
export function GraphSide({
  drawing,
  types,
  look,
  setLook,
  fields,
  wantFields,
  legend,
  saved,
  current,
}: {
  readonly drawing: Drawing
  readonly types: readonly ConsoleType[]
  readonly look: { readonly color: ColorBy; readonly size: SizeBy }
  readonly setLook: (changes: Readonly<Record<string, string | undefined>>) => void
  readonly fields: readonly string[]
  readonly wantFields: () => void
  readonly legend: readonly LegendEntry[]
  readonly saved: readonly SavedDrawing[]
  readonly current: string | undefined
}) {
  return (
    <Sidebar
      title={drawing.nodes.size > 0 ? 'In this drawing' : 'Saved drawings'}
      footer="A saved drawing is a record. Other tabs, and users who may see it, show changes immediately."
    >
      {drawing.nodes.size > 0 && (
        <>
          <Looks {...{ drawing, types, look, setLook, fields, wantFields, legend }} />
          <h2>Saved drawings</h2>
        </>
      )}
      {saved.map(({ id, name }) => (
        <Link
          key={id}
          className="item"
          to={`/graph/d/${encodeURIComponent(name)}`}
          aria-current={name === current ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
      {saved.length === 0 && (
        <p className="graph-hint">None yet. {showKeys('mod+s')} saves a drawing.</p>
      )}
    </Sidebar>
  )
}

type LooksProps = Pick<
  Parameters<typeof GraphSide>[0],
  'drawing' | 'types' | 'look' | 'setLook' | 'fields' | 'wantFields' | 'legend'
>

/** The types of the drawn records, and the colours and sizes of the drawing. */
function Looks({ drawing, types, look, setLook, fields, wantFields, legend }: LooksProps) {
  return (
    <>
      {countTypes(drawing).map(([type, count]) => (
        <TypeToggle key={type} {...{ drawing, types, type, count }} />
      ))}
      <label className="graph-choice">
        <span>Colour by</span>
        <select
          className="input"
          value={look.color}
          onFocus={wantFields}
          onChange={(event) => setLook({ color: event.target.value })}
        >
          <option value="type">Type</option>
          <option value="owner">Owner</option>
          <option value="access">Access</option>
          {optionsOf(fields, look.color)}
        </select>
      </label>
      {look.color !== 'type' && (
        <ul className="graph-legend">
          {legend.map(({ dye, label, count }) => (
            <li key={label} className={dye}>
              <span>{label}</span> <span className="num soft">{numberText(count)}</span>
            </li>
          ))}
        </ul>
      )}
      <label className="graph-choice">
        <span>Size by</span>
        <select
          className="input"
          value={look.size}
          onFocus={wantFields}
          onChange={(event) => setLook({ size: event.target.value })}
        >
          <option value="links">Number of links</option>
          <option value="same">All the same</option>
          {optionsOf(fields, look.size)}
        </select>
      </label>
    </>
  )
}

const optionsOf = (fields: readonly string[], chosen: string) =>
  [...new Set([...fields.map((name) => `field:${name}`), chosen])]
    .filter((value) => value.startsWith('field:'))
    .map((value) => (
      <option key={value} value={value}>
        {value.slice('field:'.length)}
      </option>
    ))

function TypeToggle({
  drawing,
  types,
  type,
  count,
}: {
  readonly drawing: Drawing
  readonly types: readonly ConsoleType[]
  readonly type: string
  readonly count: number
}) {
  const isHidden = drawing.hiddenTypes.has(type)
  const { many } = namesOf(type)
  return (
    <button
      type="button"
      className="item graph-toggle"
      aria-pressed={!isHidden}
      onClick={() =>
        changeDrawing(
          `${isHidden ? 'Showed' : 'Hid'} ${many.toLowerCase()}`,
          toggleType(drawing, type),
        )
      }
    >
      <ThreadMark mark={markOf(types, type)} />
      {many}
      <span className="num">{numberText(count)}</span>
    </button>
  )
}

function countTypes({ nodes }: Drawing): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { type } of nodes.values()) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])
}
