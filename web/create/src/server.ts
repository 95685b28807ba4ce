/** Milliseconds to wait for the server. */
const requestTimeout = 10_000

/**
 * Checks that a Weft server with the packages responds at the address. Otherwise throws an error that says what to do.
 */
export async function checkServer(server: string): Promise<void> {
  const response = await request(`${server}/packages/index.json`).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new Error(
      `no server responds at ${server} (${reason}).\n` +
        'Start one with `weft serve --anonymous-writes`, or name another one with --server URL.',
    )
  })
  const text = await response.text()
  if (response.status === 404 && text.includes('built without the packages'))
    throw new Error(
      `the server at ${server} was built without the packages; \`make build\` builds one that has them`,
    )
  if (!response.ok || !listsClient(text))
    throw new Error(
      `${server} is not a Weft server, or one without packages: status ${response.status} for /packages/index.json.\n` +
        'Name the server with --server URL.',
    )
}

const request = (url: string): Promise<Response> =>
  fetch(url, { signal: AbortSignal.timeout(requestTimeout) })

function listsClient(text: string): boolean {
  try {
    const list = JSON.parse(text) as readonly { manifest?: { name?: string } }[]
    return list.some(({ manifest }) => manifest?.name === '@weft/client')
  } catch {
    return false
  }
}
