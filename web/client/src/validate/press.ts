/**
 * Calls back once nothing is pressed. A message that appears when a field is left moves what is below it: a
 * button that moved away under the pointer would not be clicked.
 */
export function afterPress(call: () => void): void {
  if (document.querySelector(':active') === null) {
    call()
    return
  }
  const released = new AbortController()
  const release = () => {
    released.abort()
    // The click comes right after the release, as a part of it.
    setTimeout(call)
  }
  for (const event of ['mouseup', 'keyup', 'dragend', 'pointercancel'])
    document.addEventListener(event, release, { capture: true, signal: released.signal })
}
