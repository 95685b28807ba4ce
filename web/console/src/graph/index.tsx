import type { GraphControls, Positions } from '@weft/react/graph-view'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { useActions, useConsole, useKeys, useSummary } from '../model/console.tsx'
import { numberText } from '../model/names.ts'
import { useLocation } from '../model/router.ts'
import { useTypes } from '../model/types.ts'
import { Main } from '../parts/frame.tsx'
import { GraphBar } from './bar.tsx'
import { bindingsOf, commandsOf } from './commands.ts'
import type { OpenDialog } from './dialogs.tsx'
import { type ColorBy, lookOf, type SizeBy } from './looks.ts'
import { useSavedDrawings } from './saved.ts'
import { GraphSide } from './side.tsx'
import { useDrawing } from './store.ts'
import { useAddress } from './use-address.ts'
import { fieldNames, useFields } from './use-fields.ts'
import { Workspace } from './workspace.tsx'
import './graph.css'

/**
 * Graph: a drawing that begins with a record, a path between two records, or a saved drawing.
 *
 *   use-address   loads the drawing of the address, and writes the address when the drawing changes
 *   store         the drawing of this tab, with undo; follows changes on the server
 *   drawing       the drawing as an immutable value, with functions that change it
 *   explore       reads neighbours and paths; changes: writes records and links; saved: drawings as records
 *   workspace     the drawing or the list, with the panel of the selected node
 */
export function Room() {
  const { rest } = useLocation()
  const { types } = useTypes()
  const { drawing, places, selected: selectedId } = useDrawing()
  const saved = useSavedDrawings()
  const load = useAddress(saved)
  const { graph, legend, look, fields, wantFields } = useLook()
  const controls = useRef<GraphControls>(null)
  const [dialog, setDialog] = useState<OpenDialog>()
  const current = rest[0] === 'd' ? rest[1] : undefined
  const selected = drawing.nodes.get(selectedId ?? drawing.root ?? 0)
  const layout = saved.all.find(({ name }) => name === current)
  const commands = useCommands({ selected, open: setDialog, controls, saved: layout })
  const { setParams } = useConsole()
  useSummary(drawing.nodes.size > 0 ? sizeText(graph) : '')
  const positions = (): Positions => controls.current?.positions() ?? places ?? new Map()
  return (
    <>
      <GraphSide
        {...{ drawing, types, look, legend, current, wantFields }}
        setLook={setParams}
        fields={fields}
        saved={saved.all}
      />
      <Main label="Graph">
        <GraphBar
          title={current}
          drawing={drawing}
          size={sizeText(graph)}
          commands={commands}
          hasSelection={selected !== undefined}
        />
        <Workspace
          {...{ load, drawing, graph, places, selected, controls, commands, types }}
          saved={saved.all}
          openPicker={(of, group) => setDialog({ kind: 'pick', of, group })}
        />
      </Main>
      {dialog && (
        <Suspense>
          <Dialogs
            dialog={dialog}
            open={setDialog}
            close={() => setDialog(undefined)}
            drawing={drawing}
            positions={positions}
          />
        </Suspense>
      )}
    </>
  )
}

const Dialogs = lazy(async () => ({ default: (await import('./dialogs-of-room.tsx')).Dialogs }))

/** Returns the graph for the drawing, with the colours and sizes that the address selects. */
function useLook() {
  const { params } = useLocation()
  const { session } = useConsole()
  const { types } = useTypes()
  const { drawing } = useDrawing()
  const [isWanted, setWanted] = useState(false)
  const color = (params.get('color') ?? 'type') as ColorBy
  const size = (params.get('size') ?? 'links') as SizeBy
  const fields = useFields(drawing, isWanted || `${color}${size}`.includes('field:'))
  const look = useMemo(
    () => lookOf({ drawing, types, session, colorBy: color, sizeBy: size, fields }),
    [drawing, types, session, color, size, fields],
  )
  return {
    ...look,
    look: { color, size },
    fields: fieldNames(fields),
    wantFields: () => setWanted(true),
  }
}

type CommandInputs = Pick<
  Parameters<typeof commandsOf>[0],
  'selected' | 'open' | 'controls' | 'saved'
>

/** Returns the commands, and registers their keys and palette actions. */
function useCommands({ selected, open, controls, saved }: CommandInputs) {
  const { session, setParams } = useConsole()
  const isList = useLocation().params.get('as') === 'list'
  const commands = useMemo(
    () =>
      commandsOf({
        ...{ selected, session, open, controls, isList, saved },
        setAsList: (on) => setParams({ as: on ? 'list' : undefined }),
      }),
    [selected, session, open, controls, isList, saved, setParams],
  )
  const bindings = useMemo(() => bindingsOf(commands), [commands])
  const actions = useMemo(
    () =>
      bindings.map(({ keys, label, run }) => ({
        ...{ keys, label, id: `graph ${keys}`, group: 'Graph' },
        run: () => run(new KeyboardEvent('keydown')),
      })),
    [bindings],
  )
  useKeys(bindings)
  useActions(actions)
  return { ...commands, isList }
}

const plural = (n: number, noun: string): string => `${numberText(n)} ${noun}${n === 1 ? '' : 's'}`

const sizeText = (graph: {
  readonly nodes: readonly unknown[]
  readonly edges: readonly unknown[]
}): string => `${plural(graph.nodes.length, 'node')}, ${plural(graph.edges.length, 'link')}`
