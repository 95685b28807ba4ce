import { logIn, logOut, profile, register } from './account.js'

/*
 * The page of most of these applications: a form for the account, and a list of notes that can be added, changed, done
 * and removed. `notes` is the part that differs between the applications: it stores the notes.
 */

const accountHtml = `
  <form id="account">
    <label>E-mail <input name="email" type="email" required></label>
    <label>Password <input name="password" type="password" required></label>
    <button name="register" type="button">Register</button> <button>Log in</button>
    <p role="alert"></p>
  </form>`

const listHtml = `
  <form id="new"><label>New note <input name="text" required></label> <button>Add</button></form>
  <ul></ul>
  <button id="out" type="button">Log out</button>`

export function startPage(notes) {
  if (profile()) showList(notes)
  else showAccount(notes)
}

export function showAccount(notes) {
  document.body.innerHTML = accountHtml
  const form = document.querySelector('#account')
  const message = document.querySelector('[role=alert]')
  const values = () => [form.elements.email.value, form.elements.password.value]
  const attempt = (work) => work().catch((error) => (message.textContent = error.message))
  form.elements.register.addEventListener('click', () =>
    attempt(async () => {
      await register(...values())
      message.textContent = 'Registered'
    }),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(async () => {
      await logIn(...values())
      showList(notes)
    })
  })
}

function showList(notes) {
  document.body.innerHTML = listHtml
  const list = document.querySelector('ul')
  document.querySelector('#out').addEventListener('click', logOut)
  document.querySelector('#new').addEventListener('submit', (event) => {
    event.preventDefault()
    const { text } = event.target.elements
    void showBusy(notes.add(text.value))
    text.value = ''
  })
  notes.listen((rows) => list.replaceChildren(...rows.map((row) => item(notes, row))))
}

let unfinished = 0

/** Marks the page as busy until a note is saved. Before that it must not be closed. */
export async function showBusy(saving) {
  document.body.ariaBusy = String(++unfinished > 0)
  await saving.finally(() => {
    document.body.ariaBusy = String(--unfinished > 0)
  })
}

function item(notes, { id, text, done }) {
  const li = document.createElement('li')
  li.innerHTML = `<input type="checkbox"> <input name="text"> <button name="save">Save</button> <button name="remove">Remove</button>`
  const [box, field, save, remove] = li.children
  box.checked = done
  field.value = text
  box.addEventListener('change', () => notes.setDone(id, box.checked))
  save.addEventListener('click', () => notes.rename(id, field.value))
  remove.addEventListener('click', () => notes.remove(id))
  return li
}
