import { type Control, controlsOf, fieldOf, inputsOf, isControl, leader } from './control.ts'
import { check, checkUnique, type Field, type Input, type Messages, type Taken } from './field.ts'
import { clear, containerOf, show } from './notice.ts'
import { afterPress } from './press.ts'

export interface WatchOptions {
  /** Says whether somebody has a value already. Without it, no field asks. */
  readonly taken?: Taken | undefined
}

/**
 * Checks the fields of a form when they change, and all of them before anybody hears that the form is
 * submitted: then the first that is wrong gets the focus. Returns how to stop.
 */
export function watchForm(form: HTMLFormElement, options: WatchOptions = {}): () => void {
  const stopped = new AbortController()
  const listen = <E extends 'submit' | 'change' | 'input' | 'focusin' | 'reset'>(
    event: E,
    heard: (event: HTMLElementEventMap[E]) => void,
  ) => form.addEventListener(event, heard, { capture: true, signal: stopped.signal })
  const { noValidate } = form
  form.noValidate = true
  let state: 'open' | 'checking' | 'passing' = 'open'

  const submit = async (submitter: HTMLElement | null) => {
    state = 'checking'
    const wrong = await firstWrong(form, options)
    // A form is not submitted again while it still tells that it is submitted.
    await new Promise((later) => setTimeout(later))
    state = 'passing'
    try {
      if (wrong) wrong.focus()
      else if (form.isConnected && !stopped.signal.aborted) form.requestSubmit(submitter)
    } finally {
      state = 'open'
    }
  }

  listen('submit', (event) => {
    if (state === 'passing') return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (state === 'open') void submit(event.submitter)
  })
  listen('focusin', ({ target }) => {
    if (isControl(target)) containerOf(leader(target))
  })
  listen('change', ({ target }) => {
    if (isControl(target)) afterPress(() => void checkField(target, options))
  })
  listen('input', ({ target }) => {
    if (isControl(target) && target.getAttribute('aria-invalid') === 'true') void checkField(target)
  })
  listen('reset', () => controlsOf(form).forEach(clear))
  return () => {
    stopped.abort()
    form.noValidate = noValidate
  }
}

async function firstWrong(
  form: HTMLFormElement,
  options: WatchOptions,
): Promise<Control | undefined> {
  const controls = controlsOf(form)
  const good = await Promise.all(controls.map((control) => checkField(control, options)))
  return controls.find((_, i) => !good[i])
}

/**
 * Holds a field against the rules in its attributes, shows beside it what is wrong, and says whether it is
 * good. What changed meanwhile is not, and shows what the check of the change finds. Without a field, the one
 * is meant that the event of the moment happened to.
 */
export async function checkField(
  of: Control | Event | undefined = window.event,
  { taken }: WatchOptions = {},
): Promise<boolean> {
  const target = of instanceof Event ? of.target : of
  if (!isControl(target)) throw new TypeError('there is no field to check')
  const control = leader(target)
  containerOf(control)
  const inputs = inputsOf(control)
  const lines = await linesOf(fieldOf(control), inputs, taken)
  if (JSON.stringify(inputs) !== JSON.stringify(inputsOf(control))) return false
  show(control, lines)
  return lines.length === 0
}

async function linesOf(
  field: Field,
  inputs: readonly Input[],
  taken: Taken | undefined,
): Promise<readonly string[]> {
  try {
    const found = linesIn(inputs.map((input) => check(field, input)))
    if (!taken || found.length > 0) return found
    return linesIn(await Promise.all(inputs.map((input) => checkUnique(field, input, taken))))
  } catch {
    return ['Validation failed. Please try again.']
  }
}

/** Each sentence once: files may be wrong alike. */
const linesIn = (found: readonly Messages[]): string[] => [
  ...new Set(found.flatMap((messages) => Object.values(messages))),
]
