import { useEffect } from 'react'

/** Closes the menus of the header that a reader has turned away from; the browser opens them by itself. */
export function useMenus(): void {
  useEffect(() => {
    const turn = ({ target }: Event) => {
      for (const menu of open())
        if (!(target instanceof Node && menu.contains(target))) menu.open = false
    }
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      for (const menu of open()) {
        if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus()
        menu.open = false
      }
    }
    document.addEventListener('pointerdown', turn)
    document.addEventListener('focusin', turn)
    document.addEventListener('keydown', leave)
    return () => {
      document.removeEventListener('pointerdown', turn)
      document.removeEventListener('focusin', turn)
      document.removeEventListener('keydown', leave)
    }
  }, [])
}

const open = () => document.querySelectorAll<HTMLDetailsElement>('details[name="menu"][open]')
