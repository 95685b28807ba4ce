import {
  CreateTheCompositionLocal,
  DATAID,
  DeleteConceptById,
  GetCompositionListListener,
  hasActivatedSW,
  LocalSyncData,
  PatcherStructure,
  UpdateCompositionLocal,
} from 'mftsccs-browser'
import { open, profile } from '../common/account.js'
import { startPage } from '../common/page.js'

// An application with a service worker and writes that are sent automatically. It works offline, even after a reload.

function update(id, patchObject) {
  const patcher = Object.assign(new PatcherStructure(), { compositionId: id, patchObject })
  return UpdateCompositionLocal(patcher)
}

const notes = {
  async add(text) {
    await CreateTheCompositionLocal({ the_note: { text, done: 'no' } })
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

const { pathname: assets } = new URL('assets.json', location.href)
await open('worker', { activate: true, pathToSW: `/serviceWorker.bundle.js?assets=${assets}` })
document.documentElement.dataset.worker = String(hasActivatedSW)
startPage(notes)
