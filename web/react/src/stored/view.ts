import { hasCode, originalIds, type WidgetTree } from './widget-tree.ts'

/** A widget tree made ready to show: sanitised HTML with the children in their placeholders, and scoped CSS. */
export interface View {
  readonly id: number
  readonly html: string
  readonly css: string
  /** Ids of the originals of all widgets in the tree. A change of any of them makes the view out of date. */
  readonly originalIds: readonly number[]
  /** The widget tree, when it has code to run; otherwise undefined. */
  readonly tree?: WidgetTree | undefined
  /** Id of the widget's original, when documentation exists for it; otherwise undefined. */
  readonly documentedId?: number | undefined
  /** The children for which documentation exists, at all levels, outer ones first. */
  readonly documentedChildren?: readonly DocumentedChild[] | undefined
}

/** A child with documentation in a widget tree. */
export interface DocumentedChild {
  /** Id of the child's original. */
  readonly root: number
  readonly name: string
  /**
   * The child is drawn in the host of the widget with this id: the child itself, or the widget whose sandbox frame
   * contains it.
   */
  readonly hostId: number
  /** The number of widgets with documentation that contain the child. */
  readonly level: number
}

/** Returns the fields of a view that do not depend on its HTML and CSS. */
export const viewDetails = (
  widget: WidgetTree,
): Pick<View, 'originalIds' | 'tree' | 'documentedId' | 'documentedChildren'> => ({
  originalIds: originalIds(widget),
  tree: hasCode(widget) ? widget : undefined,
  documentedId: widget.documented ? widget.root : undefined,
  documentedChildren: [...documentedChildren(widget)],
})

function* documentedChildren(
  parent: WidgetTree,
  level = 0,
  frameId?: number,
): Generator<DocumentedChild> {
  // An invalid widget shows no children.
  if (parent.name === '') return
  const framedBy = frameId ?? (parent.code && parent.trust === 'sandbox' ? parent.id : undefined)
  const innerLevel = level + Number(parent.documented)
  for (const { widget } of parent.children) {
    const { id, root, name, documented } = widget
    if (documented) yield { root, name, hostId: framedBy ?? id, level: innerLevel }
    yield* documentedChildren(widget, innerLevel, framedBy)
  }
}
