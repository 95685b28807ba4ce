import { expect, onTestFinished, test } from 'vitest'
import { waitUntilReady } from '../src/graph/index.ts'
import { createClient } from '../src/index.ts'

test('waitUntilReady resolves when the client is ready, and rejects after the timeout', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
  onTestFinished(() => client.close())
  await expect(waitUntilReady(client)).resolves.toBeUndefined()
  const never = { ...client, ready: new Promise<void>(() => {}) }
  await expect(waitUntilReady(never, 20)).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'not',
  })
})
