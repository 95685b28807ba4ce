import type { ComponentProps } from 'react'

interface BusyButtonProps extends Omit<ComponentProps<'button'>, 'disabled' | 'aria-disabled'> {
  /** Whether the action runs. */
  readonly isBusy?: boolean
  /** Whether the action is not possible now, for example because there is nothing to save. */
  readonly isUnavailable?: boolean
}

/**
 * A button that ignores clicks and keys while it is busy or unavailable. It keeps the keyboard focus, which browsers take from a
 * button that becomes `disabled`. As the submit button of a form it also blocks submission by Enter in a field, because browsers
 * then click this button.
 */
export function BusyButton({
  isBusy = false,
  isUnavailable = false,
  onClick,
  type = 'button',
  ...rest
}: BusyButtonProps) {
  const isBlocked = isBusy || isUnavailable
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isBlocked || undefined}
      onClick={isBlocked ? (event) => event.preventDefault() : onClick}
    />
  )
}
