import { useLayoutEffect, useState } from 'react'
import type { DocumentedChild } from '../stored/view.ts'
import { type ButtonPlace, watchPlaces } from './watch-places.ts'

/** Keeps a place for the documentation buttons of every child that has documentation; see `watchPlaces`. */
export function useButtonPlaces(
  root: HTMLElement | undefined,
  children: readonly DocumentedChild[],
): readonly ButtonPlace[] {
  const [places, setPlaces] = useState<readonly ButtonPlace[]>(noPlaces)
  useLayoutEffect(() => {
    if (root === undefined || children.length === 0) return
    const stop = watchPlaces(root, children, setPlaces)
    return () => {
      stop()
      setPlaces(noPlaces)
    }
  }, [root, children])
  return places
}

const noPlaces: readonly ButtonPlace[] = []
