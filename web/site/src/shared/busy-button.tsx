import type { ButtonHTMLAttributes } from 'react'

interface BusyButtonProps
  extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'aria-disabled'> {
  /** Whether the action runs, or has nothing to act on. */
  readonly isBusy: boolean
}

/**
 * A button that ignores clicks and keys while it is busy. It keeps the keyboard focus, which browsers take from a button that
 * becomes `disabled`. As the submit button of a form it also blocks submission by Enter in a field, because browsers then click
 * this button.
 */
export function BusyButton({ isBusy, onClick, type = 'button', ...rest }: BusyButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  )
}
