import { execFileSync } from 'node:child_process'
import { binary, type Weft } from './weft.ts'

/** Creates an admin while the server is stopped, restarts it, and returns the token of the admin. */
export async function adminOf(weft: Weft, flags?: string[]): Promise<string> {
  const credentials = { email: 'ann@example.org', password: 'correct horse' }
  await weft.kill()
  const add = ['user', 'add', credentials.email, '--admin', '--password-stdin', '--data', weft.data]
  execFileSync(binary, add, { input: credentials.password })
  await weft.start(flags)
  const response = await fetch(`${weft.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return ((await response.json()) as { data: { token: string } }).data.token
}
