/** Says in a widget's place what went wrong, and offers to try again if there is a way. */
export function errorBox(name: string, message: string, again?: () => void): HTMLElement {
  const box = document.createElement('div')
  box.className = 'weft-message'
  box.setAttribute('role', 'alert')
  const strong = document.createElement('strong')
  strong.textContent = name
  const text = document.createElement('p')
  text.textContent = `Error: ${message}`
  box.append(strong, text)
  if (again) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Start again'
    button.addEventListener('click', again)
    box.append(button)
  }
  return box
}
