import type { Note } from './schema.ts'
import { weft } from './weft.ts'

// A list of notes that works offline and shows the changes of other users.

const form = document.querySelector<HTMLFormElement>('#add')
const list = document.querySelector<HTMLUListElement>('#notes')
const status = document.querySelector<HTMLParagraphElement>('#status')
const notes = weft.find('note')

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  const text = String(new FormData(form).get('text')).trim()
  if (text !== '') weft.create('note', { text })
  form.reset()
})
notes.subscribe(showNotes)
weft.sync.subscribe(showStatus)
showNotes()
showStatus()

function showNotes(): void {
  list?.replaceChildren(...notes.get().data.map(noteRow))
}

function noteRow({ id, text, done }: Note): HTMLLIElement {
  const row = document.createElement('li')
  const label = document.createElement('label')
  label.className = done ? 'done' : ''
  const checkbox = document.createElement('input')
  checkbox.type = 'checkbox'
  checkbox.checked = done ?? false
  checkbox.addEventListener('change', () => weft.update(id, { done: !done }))
  label.append(checkbox, text)
  const remove = document.createElement('button')
  remove.textContent = 'Remove'
  remove.addEventListener('click', () => weft.remove(id))
  row.append(label, remove)
  return row
}

function showStatus(): void {
  const { state, pending, failed } = weft.sync.get()
  let text = pending > 0 ? 'Sending…' : 'All changes are saved'
  if (state === 'offline') text = `Offline, ${pending} changes to send`
  if (failed[0]?.error) text = failed[0].error.message
  if (status) status.textContent = text
}
