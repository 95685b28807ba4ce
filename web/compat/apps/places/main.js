import { GetTheConcept, LocalTransaction, MakeTheInstanceConceptLocal } from 'mftsccs-browser'
import { open, profile } from '../common/account.js'
import { showAccount } from '../common/page.js'

// Concepts with places in a drawing. The test calls these functions.

const userId = () => profile().userId

window.drawing = {
  add: (text, place) =>
    MakeTheInstanceConceptLocal('the_shape', text, false, userId(), 4, 0, 0, undefined, place),
  async addTogether(place) {
    const transaction = new LocalTransaction()
    await transaction.initialize()
    const made = await transaction.MakeTheInstanceConceptLocal(
      'the_group',
      '',
      true,
      userId(),
      4,
      0,
      0,
      place,
    )
    await transaction.commitTransaction()
    return made
  },
  read: GetTheConcept,
}

await open('places')
if (!profile()) showAccount({ listen() {}, add() {} })
