import { createClient } from '@weft/client'
import { createTakenCheck, validateControl, watchForm } from '@weft/client/validate'

// The functions that tests of plain HTML fields call in the page, through `window.fieldsFixture`.

/** Watches the first form of the document. Records submissions instead of navigating. */
function watch(url?: string): void {
  const weft = url === undefined ? undefined : createClient({ url, storage: 'memory' })
  const isTaken = weft ? createTakenCheck(weft) : askTestServer
  const form = document.querySelector('form')
  if (form) stop = watchForm(form, { isTaken })
  document.addEventListener('submit', (event) => {
    event.preventDefault()
    submitted.push(event.submitter?.id ?? '')
  })
}

/** Asks the test server, which responds when the test decides. */
async function askTestServer(type: string, value: string): Promise<boolean> {
  const response = await fetch(`/taken?${type}=${value}`, { method: 'POST' })
  return response.ok && ((await response.json()) as boolean)
}

let stop = () => {}
const submitted: string[] = []

const fieldsFixture = { watch, stop: () => stop(), submitted, checkField: validateControl }
window.fieldsFixture = fieldsFixture

declare global {
  interface Window {
    fieldsFixture: typeof fieldsFixture
  }
}
