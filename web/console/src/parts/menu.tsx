import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'

interface MenuProps {
  /** The content of the button that opens the menu. */
  readonly button: ReactNode
  /** The accessible name of the button and the menu. */
  readonly label: string
  readonly className?: string
  readonly children: ReactNode
}

/**
 * A button that opens a popover with `MenuItem`s or a small form. The arrow keys move the focus between the items. Escape and a click
 * outside close the popover, and the focus returns to the button. The content is rendered only while the popover is open.
 */
export function Menu({ button, label, className = 'button bare', children }: MenuProps) {
  const id = useId()
  const popover = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const place = () => placePopover(popover.current, opener.current)
    // The content may grow when its data arrives.
    const observer = new ResizeObserver(place)
    if (popover.current) observer.observe(popover.current)
    window.addEventListener('resize', place)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', place)
    }
  }, [isOpen])
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        popoverTarget={id}
        aria-label={label}
        aria-haspopup="true"
        onClick={() => setOpen(true)}
      >
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows move the focus between the buttons inside */}
      <div
        ref={popover}
        id={id}
        popover="auto"
        className="menu"
        onToggle={(event) => {
          if (event.newState === 'closed') setOpen(false)
          else {
            placePopover(popover.current, opener.current)
            popover.current?.querySelector<HTMLElement>('button, a, input, select')?.focus()
          }
        }}
        onKeyDown={moveFocus}
      >
        {isOpen && children}
      </div>
    </>
  )
}

/** An entry of a menu. A click closes the menu and calls `run`. */
export function MenuItem({
  run,
  children,
  keys,
  isChecked,
}: {
  readonly run: () => void
  readonly children: ReactNode
  /** The key combination that has the same effect, for display only. */
  readonly keys?: string
  /** For entries that switch something on and off. */
  readonly isChecked?: boolean
}) {
  return (
    <button
      type="button"
      className="menu-item"
      aria-pressed={isChecked}
      onClick={(event) => {
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
        run()
      }}
    >
      <span>{children}</span>
      {keys !== undefined && <kbd>{keys}</kbd>}
    </button>
  )
}

/** Distances in pixels: of a popover from its button, and from the edges of the window. */
const buttonGap = 4
const edgeGap = 8

/** Places a popover inside the window: below its button or, without space there, above the button. */
function placePopover(popover: HTMLElement | null, opener: HTMLElement | null): void {
  if (!popover || !opener) return
  const { left, bottom, top } = opener.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = popover
  const fitsBelow = bottom + height + edgeGap < window.innerHeight
  const place = fitsBelow ? bottom + buttonGap : top - height - buttonGap
  popover.style.left = `${clamp(left, window.innerWidth - width)}px`
  popover.style.top = `${clamp(place, window.innerHeight - height)}px`
}

/** Limits the position of a popover to keep the gap to both edges. `space` is the length of the window minus that of the popover. */
const clamp = (distance: number, space: number): number =>
  Math.max(edgeGap, Math.min(distance, space - edgeGap))

/** Moves the focus to the next or previous control of the menu. Arrow keys keep their meaning in a select. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const target = event.target as HTMLElement
  if (step === 0 || target.tagName === 'SELECT') return
  const controls = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('button, a, input, select'),
  ]
  event.preventDefault()
  controls[(controls.indexOf(target) + step + controls.length) % controls.length]?.focus()
}
