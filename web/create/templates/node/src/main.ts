import { createClient } from '@weft/client'
import { schema } from './schema.js'

// Adds the note on the command line, if there is one, and prints the notes:
//
//   npm start -- "Buy thread"

const { WEFT: url = '__SERVER__' } = process.env
const weft = createClient({ url, application: '__NAME__', schema, storage: 'memory' })
const [text] = process.argv.slice(2)

try {
  // The note is immediately in the results of queries. `synced` resolves when the server has it.
  if (text) await weft.create('note', { text }).synced
  const { data: notes } = await weft.find('note').once({ requireComplete: true })
  for (const { text, done } of notes) console.log(`${done ? '[x]' : '[ ]'} ${text}`)
} finally {
  weft.close()
}
