import {
  type ChangeEvent,
  type FormEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { type FormOptions, type FormState, FormStore } from './form-store.ts'

/** The state of a form, and the props of its elements. */
export interface Form<N extends string> extends FormState<N> {
  /** Props of the `<form>` element. */
  readonly props: {
    readonly ref: RefObject<HTMLFormElement | null>
    readonly noValidate: true
    readonly onSubmit: (event: FormEvent) => void
  }
  /** Returns the props of the control of a field: a text input, a textarea or a select. */
  readonly field: (name: N) => ControlProps
  readonly set: (name: N, value: string) => void
  readonly reset: () => void
}

/**
 * Props of a control. `aria-describedby` is the id of the element that shows the errors of the field: `{id}-error`.
 */
export interface ControlProps {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly onFocus: () => void
  readonly onChange: (event: ChangeEvent<Control>) => void
  readonly onBlur: () => void
  readonly 'aria-required': boolean | undefined
  readonly 'aria-invalid': boolean | undefined
  readonly 'aria-describedby': string
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Creates a form with validation rules. The options may be a new object on every render. */
export function useForm<N extends string>(options: FormOptions<N>): Form<N> {
  const [store] = useState(() => new FormStore(options))
  const id = useId()
  const ref = useRef<HTMLFormElement>(null)
  const state = useSyncExternalStore(store.subscribe, store.get, store.get)
  useLayoutEffect(() => store.setOptions(options))
  useEffect(() => {
    if (state.rejectionCount > 0) focusFirstInvalid(ref.current)
  }, [state.rejectionCount])
  const { fields } = options
  return useMemo(
    () => ({
      ...state,
      set: store.set,
      reset: store.reset,
      props: {
        ref,
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void store.submit()
        },
      },
      field: (name) => ({
        id: `${id}-${name}`,
        name,
        value: state.values[name],
        onFocus: () => void store.loadRules().catch(() => {}),
        onChange: (event) => store.set(name, event.target.value),
        onBlur: () => store.leave(name),
        'aria-required': fields[name].required,
        'aria-invalid': state.errors[name] ? true : undefined,
        'aria-describedby': `${id}-${name}-error`,
      }),
    }),
    [state, store, id, fields],
  )
}

function focusFirstInvalid(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
