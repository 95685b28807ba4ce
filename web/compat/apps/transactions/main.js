import { GetTheConcept, LocalSyncData, LocalTransaction } from 'mftsccs-browser'
import { open, profile } from '../common/account.js'
import { showAccount } from '../common/page.js'

// A transaction that is committed later than it is written. The test calls these functions.

const transaction = new LocalTransaction()

window.draft = {
  async write(text) {
    const { userId } = profile()
    const note = await transaction.MakeTheInstanceConceptLocal('the_note', text, false, userId, 4)
    await LocalSyncData.syncDataLocalDb()
    return note.id
  },
  commit: () => transaction.commitTransaction(),
  async read(id) {
    const found = await GetTheConcept(id)
    return found.id === 0 ? undefined : found.characterValue
  },
}

await open('transactions')
if (!profile()) showAccount({ listen() {}, add() {} })
document.documentElement.dataset.open = 'true'
