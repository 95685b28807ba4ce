import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { profile } from '../../e2e/browser.ts'
import { startWeft } from '../../e2e/weft.ts'

// Tests a page without a build step, on another origin than the server.

test('a page loads the client from the server with a script tag', async () => {
  const weft = await startWeft()
  const page = await (await profile()).newPage()
  const requested: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  await page.goto(
    await servePage(`<!doctype html><title>A page</title><p id="note"></p><script type="module">
      import { createClient } from '${weft.url}/client/weft.js'
      import { link, readLinks } from '${weft.url}/client/graph.js'
      const weft = createClient({ url: '${weft.url}', application: 'script-tag' })
      const [ann, bo] = ['Ann', 'Bo'].map((name) => weft.create('the_person', { name }))
      await link(weft, ann.id, 's_friend', bo.id).synced
      const [friend] = await readLinks(weft, ann.id, 's_friend', { format: 'JUSTDATA' })
      document.querySelector('#note').textContent = JSON.stringify(friend)
    </script>`),
  )
  await page.getByText('{"the_person":{"name":"Bo"}}').waitFor()
  expect(await weft.count('the_person')).toBe(2)
  // Only the core and the entry point are requested. Further files would delay the first line of the program.
  expect(requested.slice(1, 3).sort()).toEqual(['/client/graph.js', '/client/weft.js'])
})

test('the modules have types, stay within their budgets, and their parts are cached forever', async () => {
  const { url } = await startWeft()
  const core = await fetch(`${url}/client/weft.js`)
  expect(core.headers.get('x-typescript-types')).toBe('/client/weft.d.ts')
  expect(await (await fetch(`${url}/client/weft.d.ts`)).text()).toContain('./types/index.js')
  const types = await fetch(`${url}/client/types/index.d.ts`)
  expect(await types.text()).toContain('createClient')
  const code = await core.text()
  // An application with a bundler has 17 KB of this code. The rest are exports that other entry points share.
  expect(gzipSync(code).length).toBeLessThan(19 * 1024)
  const [part = ''] = /assets\/sync-engine-[\w-]+\.js/.exec(code) ?? []
  const response = await fetch(`${url}/client/${part}`)
  expect(response.headers.get('cache-control')).toContain('immutable')
})

/** Serves a page until the test ends, and returns its URL. */
async function servePage(html: string): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
