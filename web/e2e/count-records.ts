/** Returns the number of records of a type that the user of a token sees, or a guest without a token. */
export async function countRecords(url: string, type: string, token?: string): Promise<number> {
  const authorization = token && { Authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/api/freeschema-query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization },
    body: JSON.stringify({ type, inpage: 1, outputFormat: 6 }),
  })
  return ((await response.json()) as { mainCount: number }).mainCount
}
