import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'

/** A string that the editor offers to insert. */
export interface Suggestion {
  /** The string without quotes. */
  readonly text: string
  /** An explanation that is shown next to the text. */
  readonly detail?: string
}

/** The place of the cursor in a JSON document. */
export interface JsonPlace {
  /**
   * Names of members and indexes of items, from the root to the cursor. The last element is empty if the cursor is in
   * the name of a member.
   */
  readonly path: readonly string[]
  /** Whether the cursor is in the name of a member. */
  readonly isName: boolean
}

/**
 * Offers suggestions in an editor for JSON, while a string is typed or on Ctrl+Space.
 *
 * @param suggest returns the strings that can be inserted at a place
 */
export function jsonCompletion(suggest: (place: JsonPlace) => readonly Suggestion[]): Extension {
  const source = (context: CompletionContext) => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1)
    if (node.name !== 'String' && node.name !== 'PropertyName') return null
    const place = placeOf(context, node)
    const options = suggest(place).map(({ text, detail }) => ({
      label: text,
      ...(detail && { detail }),
    }))
    return { from: node.from + 1, options, validFor: /^[^"\\]*$/ }
  }
  return [autocompletion({ override: [source], icons: false }), keymap.of(completionKeymap)]
}

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>

function placeOf(context: CompletionContext, node: SyntaxNode): JsonPlace {
  const path: string[] = []
  const isName = node.name === 'PropertyName'
  if (isName) path.unshift('')
  const text = (one: SyntaxNode) => context.state.sliceDoc(one.from + 1, one.to - 1)
  for (
    let child = isName ? node.parent : node, parent = child?.parent;
    child && parent;
    child = parent, parent = parent.parent
  ) {
    if (parent.name === 'Property') {
      const name = parent.getChild('PropertyName')
      if (name) path.unshift(text(name))
    } else if (parent.name === 'Array') {
      path.unshift(`${indexIn(parent, child)}`)
    }
  }
  return { path, isName }
}

/** Returns the index of an item among the items of its list. */
function indexIn(list: SyntaxNode, item: SyntaxNode): number {
  let index = 0
  for (let one = list.firstChild; one && one.from < item.from; one = one.nextSibling)
    if (!/^[[\],]$/.test(one.name)) index++
  return index
}
