import type { Field, Input } from './field.ts'

/** An element of a form that somebody puts something into. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The controls of a form that are to be checked; of buttons that exclude each other the first. */
export function controlsOf(form: HTMLFormElement): Control[] {
  const controls = Array.from(form.elements)
    .filter(isControl)
    .filter(({ disabled }) => !disabled)
  return controls.filter((control) => leader(control) === control)
}

/** Of buttons that exclude each other the first, which speaks for all. */
export function leader(control: Control): Control {
  return alike(control)[0] ?? control
}

export function isControl(target: unknown): target is Control {
  if (target instanceof HTMLInputElement) return !notFilledIn.has(target.type)
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
}

const notFilledIn = new Set(['button', 'hidden', 'image', 'reset', 'submit'])

/** What the attributes of a control ask. */
export function fieldOf(control: Control): Field {
  const text = (name: string) => control.getAttribute(name) || undefined
  const number = (name: string) => finite(text(name))
  return {
    name: control.name || control.id,
    required: flag(control, 'required'),
    dataType: text('datatype'),
    pattern: text('pattern'),
    maxLength: number('maxlength'),
    minLength: number('minlength'),
    minValue: number('min'),
    maxValue: number('max'),
    accept: takesFiles(control) ? extensions(text('accept')) : undefined,
    conceptType: text('typeconcept'),
    isUnique: flag(control, 'unique'),
  }
}

/** What is in a control: one input, or one for each file. */
export function inputsOf(control: Control): readonly Input[] {
  if (!(control instanceof HTMLInputElement)) return [{ value: control.value }]
  const { type, files } = control
  if (type === 'checkbox') return [{ value: control.checked ? control.value : '' }]
  if (type === 'radio') return [{ value: alike(control).find((one) => one.checked)?.value }]
  if (type === 'file' && files?.length)
    return Array.from(files, ({ name }) => ({ value: name, file: name }))
  return [{ value: control.value, file: takesFiles(control) ? control.value : undefined }]
}

function alike(control: Control): HTMLInputElement[] {
  if (control.type !== 'radio' || control.name === '') return []
  const all = control.form?.querySelectorAll<HTMLInputElement>('input[type=radio]') ?? []
  return Array.from(all).filter(({ name }) => name === control.name)
}

/** A control with `file` takes the name of one as text. */
const takesFiles = (control: Control): boolean =>
  control.type === 'file' || control.getAttribute('fieldtype') === 'file' || flag(control, 'file')

/** A flag is there, alone or with something that says yes. */
function flag(control: Control, name: string): boolean {
  const value = control.getAttribute(name)
  return value !== null && ['', 'true', 'on', name].includes(value.toLowerCase())
}

/** The list without the dots that browsers want, undefined when it says no more than yes. */
function extensions(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === 'true' || accept === 'on') return undefined
  return accept.replace(/(^|,)\s*\./g, '$1')
}

function finite(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && Number.isFinite(number) ? number : undefined
}
