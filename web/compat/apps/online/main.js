import {
  CreateTheConnectionGeneral,
  DATAID,
  DeleteConceptById,
  DeleteConnectionByType,
  FreeschemaQuery,
  MakeTheInstanceConcept,
  MakeTheTypeConceptApi,
  SchemaQuery,
  SyncData,
} from 'mftsccs-browser'
import { open, profile } from '../common/account.js'
import { startPage } from '../common/page.js'

// The calls that wait for the server, and a list that is read again after each change.

let show = () => {}

async function connect(note, field, value) {
  const { userId } = profile()
  const leaf = await MakeTheInstanceConcept(field, value, false, userId)
  const type = await MakeTheTypeConceptApi(`the_note_${field}`, userId)
  await CreateTheConnectionGeneral(note, userId, leaf.id, type.id, 1000)
}

async function replace(note, field, value) {
  await DeleteConnectionByType(note, `the_note_${field}`)
  await connect(note, field, value)
  await refresh()
}

async function refresh() {
  await SyncData.SyncDataOnline()
  const query = new FreeschemaQuery()
  Object.assign(query, { type: 'the_note', inpage: 100, order: 'ASC', outputFormat: DATAID })
  query.selectors = ['the_note_text', 'the_note_done']
  const rows = await SchemaQuery(query, '')
  show(
    rows.map(({ id, data }) => ({
      id,
      text: data.the_note.the_note_text?.data.the_text ?? '',
      done: data.the_note.the_note_done?.data.the_done === 'yes',
    })),
  )
}

const notes = {
  async add(text) {
    const note = await MakeTheInstanceConcept('the_note', '', true, profile().userId)
    await connect(note.id, 'text', text)
    await connect(note.id, 'done', 'no')
    await refresh()
  },
  rename: (id, text) => replace(id, 'text', text),
  setDone: (id, done) => replace(id, 'done', done ? 'yes' : 'no'),
  async remove(id) {
    await DeleteConceptById(id)
    await refresh()
  },
  listen(listener) {
    show = listener
    void refresh()
  },
}

await open('online')
startPage(notes)
