import { EditorView } from '@codemirror/view'

/**
 * Replaces a selection of several lines by typed text, instead of the browser. Chromium would join the lines with elements that
 * have inline styles, which violate the Content-Security-Policy of the page.
 */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to } = view.state.selection.main
    const { data } = event
    if (event.inputType !== 'insertText' || data === null || event.isComposing) return false
    if (to <= view.state.doc.lineAt(from).to) return false
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: 'input.type',
        scrollIntoView: true,
      })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})
