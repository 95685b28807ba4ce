/** Whether the operator has set up a language model. */
export async function hasModel(): Promise<boolean> {
  const { on } = (await json('/api/v1/ask')) as { on?: boolean }
  return on === true
}

/** A query that the model proposes. The server has checked that it is one. */
export async function askModel(question: string): Promise<object> {
  const { query } = (await json('/api/v1/ask', { question })) as { query: object }
  return query
}

/** The records a query finds, as text. */
export async function run(query: object): Promise<string> {
  const { data } = (await json('/api/freeschema-query', { ...query, outputFormat: 1 })) as {
    data?: unknown
  }
  return JSON.stringify(data ?? [], null, 2)
}

async function json(path: string, body?: object): Promise<unknown> {
  const answer = await fetch(path, {
    ...(body && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const said = (await answer.json().catch(() => ({}))) as { message?: string }
  if (!answer.ok) throw new Error(said.message ?? `the server answered ${answer.status}`)
  return said
}
