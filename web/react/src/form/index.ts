/**
 * Forms with validation rules.
 *
 *   useForm(options) ──▶ FormStore      values, touched fields, status       (form-store.ts, with the state diagram)
 *      │                   ├──▶ validateField      the rules of `@weft/client/validate`, loaded on demand
 *      │                   └──▶ UniquenessChecks   asks the server whether a value is taken
 *      └──▶ Field, FormError            a labelled control and the errors, with their ARIA attributes
 *
 * A field shows its errors once the user has left it. Submitting shows the errors of all fields and moves the focus to
 * the first field with an error.
 */
export { Field, type FieldProps, FormError } from './field.tsx'
export type { Errors, FormOptions, FormState, Rules, Values } from './form-store.ts'
export { type ControlProps, type Form, useForm } from './use-form.ts'
