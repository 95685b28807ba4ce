import {
  CreateTheCompositionLocal,
  DATAID,
  DeleteConceptById,
  GetCompositionListListener,
  LocalSyncData,
  PatcherStructure,
  StatefulWidget,
  UpdateComposition,
} from 'mftsccs-browser'
import { logOut, open, profile } from '../common/account.js'
import { showAccount, showBusy } from '../common/page.js'

// Widgets with children: the list passes the note to change to the form.

class NoteForm extends StatefulWidget {
  getHtml() {
    return `<form id="new"><label>New note <input name="text" required></label> <button>Add</button></form>`
  }

  after_render() {
    const form = this.querySelector('form')
    form.elements.text.value = this.data?.text ?? ''
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const text = form.elements.text.value
      const { id } = this.data ?? {}
      this.setState(undefined)
      form.elements.text.value = ''
      void showBusy(save(id, text))
    })
  }
}

class NoteList extends StatefulWidget {
  before_render() {
    const { userId } = profile()
    GetCompositionListListener('the_note', userId, 100, 1, DATAID).subscribe((rows) => {
      this.setState(rows.map(({ id, data }) => ({ id, ...data.the_note })))
    })
    this.render()
  }

  getHtml() {
    const notes = this.data ?? []
    return `<ul>${notes.map(() => '<li><input type="checkbox"> <input name="text" readonly> <button name="edit">Edit</button> <button name="remove">Remove</button></li>').join('')}</ul>`
  }

  after_render() {
    this.querySelectorAll('li').forEach((li, i) => {
      const note = this.data[i]
      const [box, field, edit, remove] = li.children
      box.checked = note.done === 'yes'
      field.value = note.text
      box.onchange = () => update(note.id, { done: box.checked ? 'yes' : 'no' })
      edit.onclick = () => this.notify(note)
      remove.onclick = () => DeleteConceptById(note.id)
    })
  }
}

class Notes extends StatefulWidget {
  getHtml() {
    return `<div id="form"></div><div id="list"></div><button id="out" type="button">Log out</button>`
  }

  after_render() {
    this.getElementById('out').onclick = logOut
  }

  mount_child() {
    const [form, list] = [new NoteForm(), new NoteList()]
    this.childWidgets = [form, list]
    form.mount(this.getElementById('form'))
    list.mount(this.getElementById('list'))
    list.dataChange((note) => {
      if (note?.id) this.UpdateChildData(note, form)
    })
  }
}

async function save(id, text) {
  if (id) await update(id, { text })
  else await CreateTheCompositionLocal({ the_note: { text, done: 'no' } })
  await LocalSyncData.SyncDataOnline()
}

function update(id, patchObject) {
  const patcher = Object.assign(new PatcherStructure(), { compositionId: id, patchObject })
  return UpdateComposition(patcher)
}

const start = () => {
  document.body.replaceChildren()
  new Notes().mount(document.body)
}

await open('widgets')
if (profile()) start()
else showAccount({ listen: start })
