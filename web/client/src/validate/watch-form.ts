import { afterPointerUp } from './after-press.ts'
import {
  type Control,
  groupLeader,
  isControl,
  listControls,
  readField,
  readInputs,
} from './control.ts'
import { clearMessages, getContainer, showMessages } from './error-container.ts'
import { type Field, type Input, type Messages, validateField } from './field.ts'
import { type IsTaken, validateUnique } from './uniqueness.ts'

export interface WatchOptions {
  /** Reports whether a value is already taken. Without it, `unique` is not checked. */
  readonly isTaken?: IsTaken | undefined
}

/*
 * Validation of a plain HTML form.
 *
 *   open ──submit──▶ checking ──all valid──▶ passing ──submit passed on──▶ open
 *   checking ──a field is invalid──▶ open, with the focus on the first invalid field
 *
 * The first submit event is stopped before other listeners see it. In `passing` the form is submitted again, and this
 * second event reaches the other listeners.
 */

/**
 * Validates a field of a form when it changes, and all fields before a submit event reaches other listeners. An invalid
 * form is not submitted, and its first invalid field gets the focus. Returns a function that stops the validation.
 */
export function watchForm(form: HTMLFormElement, options: WatchOptions = {}): () => void {
  const stop = new AbortController()
  const listen = <E extends 'submit' | 'change' | 'input' | 'focusin' | 'reset'>(
    event: E,
    listener: (event: HTMLElementEventMap[E]) => void,
  ) => form.addEventListener(event, listener, { capture: true, signal: stop.signal })
  const { noValidate } = form
  form.noValidate = true
  let state: 'open' | 'checking' | 'passing' = 'open'

  const submit = async (submitter: HTMLElement | null) => {
    state = 'checking'
    const invalid = await findFirstInvalid(form, options)
    // Browsers ignore a submit request during the dispatch of the previous submit event.
    await new Promise((resolve) => setTimeout(resolve))
    state = 'passing'
    try {
      if (invalid) invalid.focus()
      else if (form.isConnected && !stop.signal.aborted) form.requestSubmit(submitter)
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
    if (isControl(target)) getContainer(groupLeader(target))
  })
  listen('change', ({ target }) => {
    if (isControl(target)) afterPointerUp(() => void validateControl(target, options))
  })
  listen('input', ({ target }) => {
    if (isControl(target) && target.getAttribute('aria-invalid') === 'true')
      void validateControl(target)
  })
  listen('reset', () => listControls(form).forEach(clearMessages))
  return () => {
    stop.abort()
    form.noValidate = noValidate
  }
}

async function findFirstInvalid(
  form: HTMLFormElement,
  options: WatchOptions,
): Promise<Control | undefined> {
  const controls = listControls(form)
  const results = await Promise.all(controls.map((control) => validateControl(control, options)))
  return controls.find((_, i) => !results[i])
}

/**
 * Validates a control against the rules in its attributes, shows its messages, and reports whether it is valid. If the
 * input changes during the validation, the result is false, and the validation of the change shows the messages.
 *
 * @param of the control, or an event on it; by default the event that is being dispatched
 */
export async function validateControl(
  of: Control | Event | undefined = window.event,
  { isTaken }: WatchOptions = {},
): Promise<boolean> {
  const target = of instanceof Event ? of.target : of
  if (!isControl(target)) throw new TypeError('the event has no form control as its target')
  const control = groupLeader(target)
  getContainer(control)
  const inputs = readInputs(control)
  const messages = await findMessages(readField(control), inputs, isTaken)
  if (JSON.stringify(inputs) !== JSON.stringify(readInputs(control))) return false
  showMessages(control, messages)
  return messages.length === 0
}

async function findMessages(
  field: Field,
  inputs: readonly Input[],
  isTaken: IsTaken | undefined,
): Promise<readonly string[]> {
  try {
    const found = listMessages(inputs.map((input) => validateField(field, input)))
    if (!isTaken || found.length > 0) return found
    return listMessages(
      await Promise.all(inputs.map((input) => validateUnique(field, input, isTaken))),
    )
  } catch {
    return ['Validation failed. Please try again.']
  }
}

/** Lists each message once, because several files may cause the same message. */
const listMessages = (found: readonly Messages[]): string[] => [
  ...new Set(found.flatMap((messages) => Object.values(messages))),
]
