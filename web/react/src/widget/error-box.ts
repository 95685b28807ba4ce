/** Creates the box that shows an error in place of a widget, with a button that calls `restart` if given. */
export function errorBox(name: string, message: string, restart?: () => void): HTMLElement {
  const box = document.createElement('div')
  box.className = 'weft-message'
  box.setAttribute('role', 'alert')
  const heading = document.createElement('strong')
  heading.textContent = name
  const text = document.createElement('p')
  text.textContent = `Error: ${message}`
  box.append(heading, text)
  if (restart) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Start again'
    button.addEventListener('click', restart)
    box.append(button)
  }
  return box
}
