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
import { type FormOptions, type FormState, FormStore } from './state.ts'

/** A form as it is now, and what its elements need. */
export interface Form<N extends string> extends FormState<N> {
  /** For the `<form>`. */
  readonly props: {
    readonly ref: RefObject<HTMLFormElement | null>
    readonly noValidate: true
    readonly onSubmit: (event: FormEvent) => void
  }
  /** For the control of a field: an input of text, a textarea or a select. */
  readonly field: (name: N) => ControlProps
  readonly set: (name: N, value: string) => void
  readonly reset: () => void
}

/** `aria-describedby` names the element that shows the field's errors: `{id}-error`. */
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

/** A form whose fields hold to rules. The options may be written in place. */
export function useForm<N extends string>(options: FormOptions<N>): Form<N> {
  const [store] = useState(() => new FormStore(options))
  const id = useId()
  const ref = useRef<HTMLFormElement>(null)
  const state = useSyncExternalStore(store.subscribe, store.get, store.get)
  useLayoutEffect(() => store.follow(options))
  useEffect(() => {
    if (state.rejections > 0) focusFirstInvalid(ref.current)
  }, [state.rejections])
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
        onFocus: () => void store.prepare().catch(() => {}),
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
