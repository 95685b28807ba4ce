/**
 * Calls back immediately or, if a button or key is pressed, after its release. The reason: showing a message moves the
 * elements below it, and a button that moves between press and release receives no click.
 */
export function afterPointerUp(call: () => void): void {
  if (document.querySelector(':active') === null) {
    call()
    return
  }
  const released = new AbortController()
  const release = () => {
    released.abort()
    // The browser dispatches the click right after the release.
    setTimeout(call)
  }
  for (const event of ['mouseup', 'keyup', 'dragend', 'pointercancel'])
    document.addEventListener(event, release, { capture: true, signal: released.signal })
}
