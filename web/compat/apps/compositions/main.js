import {
  CreateTheCompositionLocal,
  DATAID,
  DeleteConceptById,
  GetCompositionListListener,
  LocalSyncData,
  PatcherStructure,
  UpdateComposition,
} from 'mftsccs-browser'
import { open, profile } from '../common/account.js'
import { startPage } from '../common/page.js'

// Compositions, UpdateComposition and a list listener, in plain JavaScript.

function update(id, patchObject) {
  const patcher = new PatcherStructure()
  patcher.compositionId = id
  patcher.userId = profile().userId
  patcher.patchObject = patchObject
  return UpdateComposition(patcher)
}

const notes = {
  async add(text) {
    const { userId } = profile()
    await CreateTheCompositionLocal(
      { the_note: { text, done: 'no' } },
      null,
      null,
      null,
      userId,
      4,
      999,
    )
    await LocalSyncData.SyncDataOnline()
  },
  rename: (id, text) => update(id, { text }),
  setDone: (id, done) => update(id, { done: done ? 'yes' : 'no' }),
  remove: (id) => DeleteConceptById(id),
  listen(show) {
    const listener = GetCompositionListListener('the_note', profile().userId, 100, 1, DATAID)
    listener.subscribe((rows) =>
      show(
        rows.map(({ id, data }) => ({
          id,
          text: data.the_note.text,
          done: data.the_note.done === 'yes',
        })),
      ),
    )
  },
}

await open('compositions')
startPage(notes)
