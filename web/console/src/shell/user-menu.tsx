import { useState } from 'react'
import { account, client } from '../model/client.ts'
import { notice, useConsole } from '../model/console.tsx'
import { hasLetterKeys, setLetterKeys } from '../model/keys.ts'
import { changeCount } from '../model/names.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { toggleTheme } from './theme.ts'

/** The user's initials, with settings and sign-out. */
export function UserMenu() {
  const {
    session: { email, isAdmin },
  } = useConsole()
  const [letterKeys, setLetters] = useState(hasLetterKeys)
  const switchLetterKeys = () => {
    setLetterKeys(!letterKeys)
    setLetters(!letterKeys)
  }
  return (
    <Menu
      className="who"
      label={`${initialsOf(email)}: ${email}${isAdmin ? ', admin' : ''}`}
      button={<span>{initialsOf(email)}</span>}
    >
      <p className="menu-title">
        <b>{email}</b> {isAdmin && 'admin'}
      </p>
      <MenuItem run={toggleTheme}>Switch between light and dark</MenuItem>
      <MenuItem run={switchLetterKeys} isChecked={letterKeys}>
        Single-letter keys: {letterKeys ? 'on' : 'off'}
      </MenuItem>
      <MenuItem run={() => location.assign('/account')}>Account, sessions and keys</MenuItem>
      <MenuItem run={signOut}>Sign out</MenuItem>
    </Menu>
  )
}

/**
 * Signs out. If there are unsent changes, which would stay on this device, the first call only reports them, and the second call
 * signs out.
 */
async function signOut(): Promise<void> {
  const { pending, failed } = client.sync.get()
  const waiting = pending + failed.length
  if (waiting > 0 && !wasWarned) {
    wasWarned = true
    const [are, stay] = waiting === 1 ? ['is', 'it stays'] : ['are', 'they stay']
    notice.set(
      `${changeCount(waiting)} ${are} not on the server yet. If you sign out again, ${stay} on this device.`,
    )
    return
  }
  wasWarned = false
  await account.signOut()
  location.assign('/console')
}

let wasWarned = false

function initialsOf(email: string): string {
  const [name = ''] = email.split('@')
  const parts = name.split(/[._-]+/).filter((part) => part !== '')
  const letters = parts.length > 1 ? parts.slice(0, 2).map((part) => part[0]) : [name.slice(0, 2)]
  return letters.join('').toUpperCase()
}
