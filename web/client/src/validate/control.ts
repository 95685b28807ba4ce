import type { Field, Input } from './field.ts'

/** A form element that takes input. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Lists the enabled controls of a form. A radio group is listed as its first button. */
export function listControls(form: HTMLFormElement): Control[] {
  const controls = Array.from(form.elements)
    .filter(isControl)
    .filter(({ disabled }) => !disabled)
  return controls.filter((control) => groupLeader(control) === control)
}

/**
 * Returns the first radio button of the control's group, which represents the group. Returns any other control itself.
 */
export function groupLeader(control: Control): Control {
  return radioGroup(control)[0] ?? control
}

export function isControl(target: unknown): target is Control {
  if (target instanceof HTMLInputElement) return !inputlessTypes.has(target.type)
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
}

const inputlessTypes = new Set(['button', 'hidden', 'image', 'reset', 'submit'])

/** Reads the rules in the attributes of a control. */
export function readField(control: Control): Field {
  const text = (name: string) => control.getAttribute(name) || undefined
  const number = (name: string) => parseFinite(text(name))
  return {
    name: control.name || control.id,
    required: hasFlag(control, 'required'),
    dataType: text('datatype'),
    pattern: text('pattern'),
    maxLength: number('maxlength'),
    minLength: number('minlength'),
    minValue: number('min'),
    maxValue: number('max'),
    accept: takesFiles(control) ? parseExtensions(text('accept')) : undefined,
    conceptType: text('typeconcept'),
    isUnique: hasFlag(control, 'unique'),
  }
}

/** Reads the inputs of a control: one for each chosen file, otherwise a single one. */
export function readInputs(control: Control): readonly Input[] {
  if (!(control instanceof HTMLInputElement)) return [{ value: control.value }]
  const { type, files } = control
  if (type === 'checkbox') return [{ value: control.checked ? control.value : '' }]
  if (type === 'radio') return [{ value: radioGroup(control).find((one) => one.checked)?.value }]
  if (type === 'file' && files?.length)
    return Array.from(files, ({ name }) => ({ value: name, file: name }))
  return [{ value: control.value, file: takesFiles(control) ? control.value : undefined }]
}

function radioGroup(control: Control): HTMLInputElement[] {
  if (control.type !== 'radio' || control.name === '') return []
  const all = control.form?.querySelectorAll<HTMLInputElement>('input[type=radio]') ?? []
  return Array.from(all).filter(({ name }) => name === control.name)
}

/** Reports whether the input is a file. A text control with the attribute `file` holds a file name. */
const takesFiles = (control: Control): boolean =>
  control.type === 'file' ||
  control.getAttribute('fieldtype') === 'file' ||
  hasFlag(control, 'file')

/** Reports whether a boolean attribute is set: empty, `true`, `on` or its own name. */
function hasFlag(control: Control, name: string): boolean {
  const value = control.getAttribute(name)
  return value !== null && ['', 'true', 'on', name].includes(value.toLowerCase())
}

/** Removes the dots from the extensions of `accept`. Returns undefined if the attribute is only `true` or `on`. */
function parseExtensions(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === 'true' || accept === 'on') return undefined
  return accept.replace(/(^|,)\s*\./g, '$1')
}

function parseFinite(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && Number.isFinite(number) ? number : undefined
}
