import type { Form } from './form.ts'

/** Seeds that once lost or doubled something, with what it was. The tests play them for ever. */
export const kept: Readonly<Record<Form['name'], number[]>> = {
  node: [],
  chromium: [3, 7, 15, 18, 65],
}
