import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { OptionList, optionElementId, summary } from './option-list.tsx'
import { type Option, type OptionSource, useOptions } from './use-options.ts'
import './select.css'

export interface SearchSelectProps extends OptionSource {
  readonly label: ReactNode
  /** Name of the form field that submits the id of the chosen record. Without it, the id is not submitted. */
  readonly name?: string
  /** The record that is chosen initially. */
  readonly initial?: Option | undefined
  readonly onChange?: (chosen: Option | undefined) => void
}

/** Renders a text box that searches records by their label and chooses one. */
export function SearchSelect({ label, name, initial, onChange, ...source }: SearchSelectProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const select = useSelection(source, initial, onChange)
  const { found, chosen, text, isOpen, activeIndex } = select
  const clear = () => {
    select.choose(undefined)
    input.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: closes the list when focus leaves all its parts
    <div className="field weft-select" onBlur={select.closeOnBlur}>
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
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={
            isOpen && activeIndex >= 0 ? optionElementId(id, found.options[activeIndex]) : undefined
          }
          onChange={(event) => select.type(event.target.value)}
          onClick={() => isOpen || select.show()}
          onKeyDown={(event) => handleKey(event, select, clear)}
        />
        {text !== '' && <ClearButton onClick={clear} />}
      </div>
      {name && <input type="hidden" name={name} value={chosen?.id ?? ''} />}
      <OptionList
        id={id}
        found={found}
        hidden={!isOpen}
        activeId={select.activeId}
        chosen={chosen}
        onChoose={select.choose}
      />
      <p className="unseen" role="status">
        {isOpen ? summary(found) : select.announcement}
      </p>
    </div>
  )
}

function ClearButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="clear" aria-label="Clear" title="Clear" onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4 4l8 8M12 4l-8 8" />
      </svg>
    </button>
  )
}

type Selection = ReturnType<typeof useSelection>

/** The state of the text box and its list, and the changes a user can make to it. */
function useSelection(
  source: OptionSource,
  initial: Option | undefined,
  onChange: SearchSelectProps['onChange'],
) {
  const [chosen, setChosen] = useState(initial)
  const [text, setText] = useState(initial?.label ?? '')
  const [isOpen, setOpen] = useState(false)
  const [activeId, setActiveId] = useState<number>()
  const [announcement, setAnnouncement] = useState('')
  const found = useOptions(source, text === chosen?.label ? '' : text)
  const { options } = found
  const activeIndex = options.findIndex((option) => option.id === activeId)

  const show = (index = -1) => {
    setOpen(true)
    setActiveId(options[index]?.id)
  }
  const hide = () => {
    setOpen(false)
    setActiveId(undefined)
  }
  const choose = (option: Option | undefined) => {
    setChosen(option)
    setText(option?.label ?? '')
    setAnnouncement(option ? `${option.label} selected` : 'Nothing selected')
    hide()
    if (option?.id !== chosen?.id) onChange?.(option)
  }
  const type = (text: string) => {
    setAnnouncement('')
    if (text === '' && chosen) choose(undefined)
    setText(text)
    show()
  }
  const closeOnBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (currentTarget.contains(relatedTarget)) return
    setText(chosen?.label ?? '')
    hide()
  }
  return {
    ...{ found, chosen, text, isOpen, activeId, activeIndex, announcement },
    ...{ show, hide, choose, type, closeOnBlur },
  }
}

/** Runs the action of a key. Keys pressed while a character is being composed have no action. */
function handleKey(event: KeyboardEvent, select: Selection, clear: () => void): void {
  if (event.nativeEvent.isComposing) return
  const { found, text, isOpen, activeIndex, show, hide, choose } = select
  const { options } = found
  const last = options.length - 1
  const actions: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: () => show(isOpen ? (activeIndex + 1) % options.length : 0),
    ArrowUp: () => show(activeIndex <= 0 ? last : activeIndex - 1),
    Home: activeIndex < 0 ? undefined : () => show(0),
    End: activeIndex < 0 ? undefined : () => show(last),
    Enter: isOpen ? () => (activeIndex < 0 ? hide() : choose(options[activeIndex])) : undefined,
    Escape: isOpen ? hide : text === '' ? undefined : clear,
  }
  const action = actions[event.key]
  if (action === undefined) return
  event.preventDefault()
  event.stopPropagation()
  action()
}
