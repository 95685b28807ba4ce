import type { Cell } from './cell.ts'
import { ChooseText } from './choose-text.tsx'
import type { Column } from './columns.ts'
import { LinkSearch } from './link-search.tsx'
import { TextEditor, takesTyping } from './text-editor.tsx'
import type { Editing, GridActions } from './use-grid-actions.ts'

interface CellEditorProps {
  readonly column: Column
  readonly cell: Cell
  readonly editing: Editing
  readonly actions: GridActions
}

/**
 * Edits the active cell. Enter saves and moves down, Tab saves and moves right, Escape restores the value. Enter with Command or
 * Control writes the text into all selected cells.
 */
export function CellEditor({ column, cell, editing, actions }: CellEditorProps) {
  const { typed, mine } = editing
  if (mine !== undefined)
    return <ChooseText column={column} mine={mine} theirs={cell.text} settle={actions.settle} />
  if (column.kind === 'link' && column.target !== undefined)
    return (
      <LinkSearch
        target={column.target}
        label={column.label}
        start={typed ?? ''}
        canBeEmpty={!column.isRequired && cell.links.length > 0}
        choose={(target) => void actions.saveLink(target, 'down')}
        cancel={actions.cancel}
      />
    )
  return (
    <TextEditor
      column={column}
      start={takesTyping(column) ? (typed ?? cell.text) : cell.text}
      save={actions.save}
      cancel={actions.cancel}
    />
  )
}
