import { originals, runs, type Widget } from './widget.ts'

/** A widget tree made ready to show: clean HTML with the children in their places, and scoped CSS. */
export interface View {
  readonly id: number
  readonly html: string
  readonly css: string
  /** Ids of the originals of everything in it: what to listen for. */
  readonly originals: readonly number[]
  /** The tree, when something in it is to run. */
  readonly tree?: Widget | undefined
  /** The original of the widget, when there is something to read about it. */
  readonly documented?: number | undefined
}

/** What a view tells of the tree that it was made of. */
export const told = (widget: Widget): Pick<View, 'originals' | 'tree' | 'documented'> => ({
  originals: originals(widget),
  tree: runs(widget) ? widget : undefined,
  documented: widget.documented ? widget.root : undefined,
})
