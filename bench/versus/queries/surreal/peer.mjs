// SurrealDB as a process: it reads a request from each line of its input and writes a line when that is done. Queries are
// timed here, around the call, so that the pipe costs the peer nothing.
//
//   {"insert": "order", "rows": [[…], …]}       rows as fields below has them
//   {"run": "DEFINE INDEX …"}
//   {"ask": "SELECT …", "given": {"title": …}}  answered with {"ids": [of each record], "ms": …}
import { createInterface } from 'node:readline'
import { createNodeEngines } from '@surrealdb/node'
import { RecordId, Surreal } from 'surrealdb'

const link = (table) => (id) => (id ? new RecordId(table, id) : undefined)
const links = (table) => (ids) => (ids ?? []).map(link(table))
const plain = (value) => value
const fields = {
  category: { department: plain },
  product: { name: plain, price: plain, categories: links('category') },
  customer: { name: plain, city: plain, email: plain },
  line: { product: link('product'), quantity: Number, order: link('order') },
  order: { customer: link('customer'), date: plain, total: Number, status: plain, lines: links('line') },
}

const db = new Surreal({ engines: createNodeEngines() })
await db.connect(`rocksdb://${process.argv[2]}`)
await db.use({ namespace: 'bench', database: 'bench' })
console.log(JSON.stringify({ version: (await db.version()).version }))

const record = (table, [id, ...values]) => {
  const made = { id: new RecordId(table, id) }
  Object.entries(fields[table]).forEach(([name, read], i) => {
    const value = values[i] === null ? undefined : read(values[i])
    if (value !== undefined) made[name] = value
  })
  return made
}

const answer = async ({ insert, rows, run, ask, given }) => {
  if (insert) await db.query(`INSERT INTO ${insert} $rows RETURN NONE`, { rows: rows.map((row) => record(insert, row)) })
  else if (run) await db.query(run)
  else {
    const began = performance.now()
    const found = await db.query(ask, given)
    const ms = performance.now() - began
    return { ids: found.at(-1).map((one) => one.id.id), ms }
  }
  return {}
}

for await (const text of createInterface({ input: process.stdin })) {
  let said
  try {
    said = await answer(JSON.parse(text))
  } catch (error) {
    said = { error: String(error) }
  }
  console.log(JSON.stringify(said))
}
await db.close()
process.exit(0) // the engine would stay
