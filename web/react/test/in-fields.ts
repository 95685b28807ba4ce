import { createClient } from '@weft/client'
import { checkField, takenIn, watchForm } from '@weft/client/validate'

// What the tests of plain fields call inside the page, through `window.inFields`.

/** Watches the first form of the document; notes what is submitted, and stays. See `stop`. */
function watch(url?: string): void {
  const weft = url === undefined ? undefined : createClient({ url, storage: 'memory' })
  const taken = weft ? takenIn(weft) : ask
  const form = document.querySelector('form')
  if (form) stop = watchForm(form, { taken })
  document.addEventListener('submit', (event) => {
    event.preventDefault()
    submitted.push(event.submitter?.id ?? '')
  })
}

/** Asks the test's own server, which answers when the test lets it. */
async function ask(type: string, value: string): Promise<boolean> {
  const answer = await fetch(`/taken?${type}=${value}`, { method: 'POST' })
  return answer.ok && ((await answer.json()) as boolean)
}

let stop = () => {}
const submitted: string[] = []

const inFields = { watch, stop: () => stop(), submitted, checkField }
window.inFields = inFields

declare global {
  interface Window {
    inFields: typeof inFields
  }
}
