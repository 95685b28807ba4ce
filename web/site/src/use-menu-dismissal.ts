import { useEffect } from 'react'

/** Closes open header menus on Escape and after a click or focus outside. The browser itself opens the menus. */
export function useMenuDismissal(): void {
  useEffect(() => {
    const closeOthers = ({ target }: Event) => {
      for (const menu of openMenus())
        if (!(target instanceof Node && menu.contains(target))) menu.open = false
    }
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      for (const menu of openMenus()) {
        if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus()
        menu.open = false
      }
    }
    document.addEventListener('pointerdown', closeOthers)
    document.addEventListener('focusin', closeOthers)
    document.addEventListener('keydown', closeOnEscape)
    return () => {
      document.removeEventListener('pointerdown', closeOthers)
      document.removeEventListener('focusin', closeOthers)
      document.removeEventListener('keydown', closeOnEscape)
    }
  }, [])
}

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>('details[name="menu"][open]')
