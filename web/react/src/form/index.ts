export { Field, type FieldProps, FormError } from './field.tsx'
export type { Errors, FormOptions, FormState, Rules, Values } from './state.ts'
export { type ControlProps, type Form, useForm } from './use-form.ts'
