import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { Choices, optionId, summary } from './choices.tsx'
import { type Option, type Source, useOptions } from './use-options.ts'
import './select.css'

export interface SearchSelectProps extends Source {
  readonly label: ReactNode
  /** Under which the id of the chosen record is submitted in a form. */
  readonly name?: string
  /** What is chosen to begin with. */
  readonly initial?: Option | undefined
  readonly onChange?: (chosen: Option | undefined) => void
}

/** Chooses one of the records that a live query finds, by typing a part of what it is called. */
export function SearchSelect({ label, name, initial, onChange, ...source }: SearchSelectProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState(initial)
  const [text, setText] = useState(initial?.label ?? '')
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState<number>()
  const [said, setSaid] = useState('')
  const found = useOptions(source, text === chosen?.label ? '' : text)
  const { options } = found
  const at = options.findIndex((option) => option.id === active)

  const show = (next: boolean, index = -1) => {
    setOpen(next)
    setActive(options[index]?.id)
  }
  const choose = (option: Option | undefined) => {
    setChosen(option)
    setText(option?.label ?? '')
    setSaid(option ? `${option.label} selected` : 'Nothing selected')
    show(false)
    if (option?.id !== chosen?.id) onChange?.(option)
  }
  const type = (text: string) => {
    setSaid('')
    if (text === '' && chosen) choose(undefined)
    setText(text)
    show(true)
  }
  const clear = () => {
    choose(undefined)
    input.current?.focus()
  }
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (currentTarget.contains(relatedTarget)) return
    setText(chosen?.label ?? '')
    show(false)
  }

  const { length } = options
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: () => show(true, open ? (at + 1) % length : 0),
    ArrowUp: () => show(true, (at <= 0 ? length : at) - 1),
    Home: at < 0 ? undefined : () => show(true, 0),
    End: at < 0 ? undefined : () => show(true, length - 1),
    Enter: open ? () => (at < 0 ? show(false) : choose(options[at])) : undefined,
    Escape: open ? () => show(false) : text === '' ? undefined : clear,
  }
  const press = (event: KeyboardEvent) => {
    const act = event.nativeEvent.isComposing ? undefined : keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what leaves its parts leaves the whole
    <div className="field weft-select" onBlur={leave}>
      <label htmlFor={id}>{label}</label>
      <div className="box">
        <input
          ref={input}
          id={id}
          type="text"
          role="combobox"
          placeholder="Select or type..."
          autoComplete="off"
          value={text}
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={open && at >= 0 ? optionId(id, options[at]) : undefined}
          onChange={(event) => type(event.target.value)}
          onClick={() => open || show(true)}
          onKeyDown={press}
        />
        {text !== '' && (
          <button type="button" className="clear" aria-label="Clear" title="Clear" onClick={clear}>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" />
            </svg>
          </button>
        )}
      </div>
      {name && <input type="hidden" name={name} value={chosen?.id ?? ''} />}
      <Choices
        id={id}
        found={found}
        hidden={!open}
        active={active}
        chosen={chosen}
        onChoose={choose}
      />
      <p className="unseen" role="status">
        {open ? summary(found) : said}
      </p>
    </div>
  )
}
