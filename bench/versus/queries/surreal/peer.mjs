// Runs SurrealDB in this process. Each line of the input is a request in JSON; the program writes one line in JSON for
// each. Queries are timed here, around the call, so that the time does not include the pipe.
//
//   {"insert": "order", "rows": [[…], …]}       rows have an id and the columns in `fields` → {}
//   {"run": "DEFINE INDEX …"}                   → {}
//   {"ask": "SELECT …", "given": {"title": …}}  → {"ids": [id of each record], "ms": …}
//
// A request that fails returns {"error": …}.
import { createInterface } from 'node:readline'
import { createNodeEngines } from '@surrealdb/node'
import { RecordId, Surreal } from 'surrealdb'

const link = (table) => (id) => (id ? new RecordId(table, id) : undefined)
const links = (table) => (ids) => (ids ?? []).map(link(table))
const unchanged = (value) => value
const fields = {
  category: { department: unchanged },
  product: { name: unchanged, price: unchanged, categories: links('category') },
  customer: { name: unchanged, city: unchanged, email: unchanged },
  line: { product: link('product'), quantity: Number, order: link('order') },
  order: { customer: link('customer'), date: unchanged, total: Number, status: unchanged, lines: links('line') },
}

const db = new Surreal({ engines: createNodeEngines() })
await db.connect(`rocksdb://${process.argv[2]}`)
await db.use({ namespace: 'bench', database: 'bench' })
console.log(JSON.stringify({ version: (await db.version()).version }))

const makeRecord = (table, [id, ...values]) => {
  const record = { id: new RecordId(table, id) }
  Object.entries(fields[table]).forEach(([name, read], i) => {
    const value = values[i] === null ? undefined : read(values[i])
    if (value !== undefined) record[name] = value
  })
  return record
}

const respond = async ({ insert, rows, run, ask, given }) => {
  if (insert) await db.query(`INSERT INTO ${insert} $rows RETURN NONE`, { rows: rows.map((row) => makeRecord(insert, row)) })
  else if (run) await db.query(run)
  else {
    const began = performance.now()
    const found = await db.query(ask, given)
    const ms = performance.now() - began
    return { ids: found.at(-1).map((row) => row.id.id), ms }
  }
  return {}
}

for await (const text of createInterface({ input: process.stdin })) {
  let response
  try {
    response = await respond(JSON.parse(text))
  } catch (error) {
    response = { error: String(error) }
  }
  console.log(JSON.stringify(response))
}
await db.close()
process.exit(0) // the engine keeps the process alive
