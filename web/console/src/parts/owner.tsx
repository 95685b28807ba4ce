import { useConsole } from '../model/console.tsx'
import { startOfSentence, useOwnerWords } from '../model/owners.ts'

/** The owner of a record in words, for use inside a sentence or, with `isStart`, at its beginning. */
export function OwnerName({ owner, isStart = false }: { owner: number; isStart?: boolean }) {
  const { session } = useConsole()
  const words = useOwnerWords(owner, session)
  return isStart ? startOfSentence(words) : words
}
