import { useCallback } from 'react'
import { useConsole } from './console.tsx'
import { errorText } from './request.ts'

/**
 * Returns a function that runs an action and shows the reason for a failure in the status line. It resolves with true if
 * the action succeeded.
 */
export function useRun(): (work: () => Promise<unknown>) => Promise<boolean> {
  const { announce } = useConsole()
  return useCallback(
    async (work) => {
      try {
        await work()
        return true
      } catch (error) {
        announce(errorText(error))
        return false
      }
    },
    [announce],
  )
}
