import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { whenLoaded } from '../src/records/loaded.ts'

test('who waits for what was left in the browser is told when it is here, and no later than asked', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', storage: 'memory' })
  onTestFinished(() => client.close())
  await expect(whenLoaded(client)).resolves.toBeUndefined()
  const never = { ...client, ready: new Promise<void>(() => {}) }
  await expect(whenLoaded(never, 20)).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'not',
  })
})
