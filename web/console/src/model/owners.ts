import { useEffect, useState } from 'react'
import { sharedOwner, systemOwner } from './access.ts'
import { findUser } from './find-user.ts'
import type { Session } from './session.ts'

/** The e-mails of users that were loaded, by id. Only admins load any. */
const loaded = new Map<number, Promise<string | undefined>>()

/** Returns the owner of a record in words, for use inside a sentence: admins read the e-mail, other users "another user". */
export function useOwnerWords(owner: number, session: Session): string {
  const [email, setEmail] = useState<{ readonly of: number; readonly text: string | undefined }>()
  const isOther = owner !== session.userId && owner !== sharedOwner && owner !== systemOwner
  useEffect(() => {
    if (!isOther || !session.isAdmin) return
    let isCurrent = true
    void emailOf(owner).then((text) => isCurrent && setEmail({ of: owner, text }))
    return () => {
      isCurrent = false
    }
  }, [owner, isOther, session])
  if (owner === session.userId) return 'you'
  if (owner === sharedOwner) return 'all users'
  if (owner === systemOwner) return 'this server'
  return (session.isAdmin && email?.of === owner ? email.text : undefined) ?? 'another user'
}

/** Returns the words at the beginning of a sentence: "You", "Another user". E-mails stay as they are. */
export const startOfSentence = (words: string): string =>
  words.includes('@') ? words : words.charAt(0).toUpperCase() + words.slice(1)

/** Returns the e-mail of a user; undefined if the account was deleted or cannot be loaded. */
function emailOf(user: number): Promise<string | undefined> {
  const known = loaded.get(user)
  if (known) return known
  const load = findUser<{ readonly id: number; readonly email: string }>(user).then(
    (found) => found?.email,
    () => {
      loaded.delete(user)
      return undefined
    },
  )
  loaded.set(user, load)
  return load
}
