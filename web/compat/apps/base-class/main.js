import {
  CreateTheCompositionLocal,
  DeleteConceptById,
  GetCompositionListWithId,
  LocalSyncData,
  PatcherStructure,
  UpdateComposition,
} from 'mftsccs'
import { open, profile } from '../common/account.js'
import { showAccount, showBusy } from '../common/page.js'

// This application imports the package under its older name and has its own base class for widgets. It uses only the
// data calls.

class Widget {
  constructor() {
    this.state = {}
  }

  mount(parent) {
    this.parent = parent
    this.render()
  }

  setState(state) {
    this.state = { ...this.state, ...state }
    this.render()
  }

  render() {
    this.parent.innerHTML = this.html()
    this.rendered?.()
  }
}

class Notes extends Widget {
  /** Draws the form only once, with the first rows, because drawing it again would empty it. */
  mount(parent) {
    this.parent = parent
    void this.load()
  }

  async load() {
    const rows = await GetCompositionListWithId('the_note', profile().userId, 100, 1)
    this.setState({ rows: rows.map(({ id, data }) => ({ id, ...data.the_note })) })
  }

  html() {
    return `
      <form id="new"><label>New note <input name="text" required></label> <button>Add</button></form>
      <ul>${(this.state.rows ?? []).map(() => '<li><input type="checkbox"> <input name="text"> <button name="save">Save</button> <button name="remove">Remove</button></li>').join('')}</ul>
      <button id="out" type="button">Log out</button>`
  }

  rendered() {
    this.parent.querySelector('#out').onclick = () => {
      localStorage.removeItem('profile')
      location.reload()
    }
    this.parent.querySelector('#new').onsubmit = (event) => {
      event.preventDefault()
      void showBusy(this.add(event.target.elements.text.value))
    }
    this.parent.querySelectorAll('li').forEach((li, i) => {
      const { id, text, done } = this.state.rows[i]
      const [box, field, save, remove] = li.children
      box.checked = done === 'yes'
      field.value = text
      box.onchange = () => this.update(id, { done: box.checked ? 'yes' : 'no' })
      save.onclick = () => this.update(id, { text: field.value })
      remove.onclick = () => DeleteConceptById(id).then(() => this.load())
    })
  }

  async add(text) {
    await CreateTheCompositionLocal({ the_note: { text, done: 'no' } })
    await LocalSyncData.SyncDataOnline()
    await this.load()
  }

  async update(id, patchObject) {
    const patcher = Object.assign(new PatcherStructure(), { compositionId: id, patchObject })
    await UpdateComposition(patcher)
    await this.load()
  }
}

await open('base-class')
const start = () => {
  document.body.replaceChildren()
  const notes = new Notes()
  notes.mount(document.body)
}
if (profile()) start()
else showAccount({ listen: start })
