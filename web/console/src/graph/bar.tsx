import { Icon } from '../parts/icon.tsx'
import type { Commands } from './commands.ts'
import type { Drawing } from './drawing.ts'
import { nodeName } from './names.ts'

/** The bar above the drawing: its name and size, and the actions on the whole drawing. */
export function GraphBar({
  title,
  drawing,
  size,
  commands,
  hasSelection,
}: {
  /** The name of the saved drawing; undefined for a drawing that is not saved. */
  readonly title: string | undefined
  readonly drawing: Drawing
  readonly size: string
  readonly commands: Commands & { readonly isList: boolean }
  readonly hasSelection: boolean
}) {
  const root = drawing.nodes.get(drawing.root ?? 0)
  if (drawing.nodes.size === 0)
    return (
      <div className="bar ruled">
        <h1 className="title">{title ?? 'Graph'}</h1>
      </div>
    )
  return (
    <div className="bar ruled">
      <h1 className="title">{title ?? (root ? nodeName(root) : 'Drawing')}</h1>
      <span className="soft desk">{size}</span>
      <span className="grow" />
      {hasSelection && (
        <button type="button" className="button quiet desk" onClick={commands.path}>
          Find a path <kbd>P</kbd>
        </button>
      )}
      <button
        type="button"
        className="button quiet"
        aria-pressed={commands.isList}
        onClick={commands.list}
      >
        As a list <kbd>L</kbd>
      </button>
      <button type="button" className="button quiet desk" onClick={commands.save}>
        Save
      </button>
      <button type="button" className="button desk" onClick={commands.add}>
        <Icon name="plus" /> Add record
      </button>
    </div>
  )
}
