import {
  type Concept,
  CreateConnection,
  DATAID,
  DeleteConceptById,
  DeleteConnectionByType,
  FreeschemaQuery,
  GetTheConcept,
  LocalSyncData,
  LocalTransaction,
  MakeTheInstanceConceptLocal,
  SchemaQueryListener,
} from 'mftsccs-browser'
// @ts-expect-error shared by applications without types
import { open, profile } from '../common/account.js'
// @ts-expect-error shared by applications without types
import { startPage } from '../common/page.js'

// Typed records: an entity with connections to its values, written in transactions, and a live schema query.

const userId = (): number => profile().userId

async function replace(id: number, field: string, value: string): Promise<void> {
  const note: Concept = await GetTheConcept(id)
  await DeleteConnectionByType(id, `the_note_${field}`)
  const leaf: Concept = await MakeTheInstanceConceptLocal(field, value, false, userId(), 4)
  await CreateConnection(note, leaf, `the_note_${field}`)
  await LocalSyncData.SyncDataOnline()
}

const notes = {
  async add(text: string): Promise<void> {
    const transaction = new LocalTransaction()
    await transaction.initialize()
    const note = await transaction.MakeTheInstanceConceptLocal('the_note', '', true, userId(), 4)
    for (const [field, value] of [
      ['text', text],
      ['done', 'no'],
    ] as const) {
      const leaf = await transaction.MakeTheInstanceConceptLocal(field, value, false, userId(), 4)
      await transaction.CreateConnection(note, leaf, `the_note_${field}`)
    }
    await transaction.commitTransaction()
  },
  rename: (id: number, text: string) => replace(id, 'text', text),
  setDone: (id: number, done: boolean) => replace(id, 'done', done ? 'yes' : 'no'),
  remove: (id: number) => DeleteConceptById(id),
  listen(show: (rows: { id: number; text: string; done: boolean }[]) => void): void {
    const query = new FreeschemaQuery()
    query.type = 'the_note'
    query.inpage = 100
    query.order = 'ASC'
    query.outputFormat = DATAID
    query.isSecure = true
    query.selectors = ['the_note_text', 'the_note_done']
    SchemaQueryListener(query, '').subscribe((rows: any[]) =>
      show(
        rows.map(({ id, data }) => ({
          id,
          text: data.the_note.the_note_text?.data.the_text ?? '',
          done: data.the_note.the_note_done?.data.the_done === 'yes',
        })),
      ),
    )
  },
}

await open('typed')
startPage(notes)
