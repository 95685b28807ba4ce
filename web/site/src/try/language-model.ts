import { postJson, requestJson } from '../request-json.ts'

/** Reports whether the operator has configured a language model. */
export async function hasLanguageModel(): Promise<boolean> {
  const { on } = (await requestJson('/api/v1/ask')) as { on?: boolean }
  return on === true
}

/** Asks the model for a query. The server has validated the query. */
export async function proposeQuery(question: string): Promise<object> {
  const { query } = (await requestJson('/api/v1/ask', postJson({ question }))) as { query: object }
  return query
}

/** Runs a query and returns the records as formatted JSON. */
export async function runQuery(query: object): Promise<string> {
  const body = { ...query, outputFormat: 1 }
  const { data } = (await requestJson('/api/freeschema-query', postJson(body))) as {
    data?: unknown
  }
  return JSON.stringify(data ?? [], null, 2)
}
