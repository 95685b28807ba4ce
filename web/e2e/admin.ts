import { execFileSync } from 'node:child_process'
import { binary, type Weft } from './weft.ts'

/** Makes an admin, for which the server has to be away for a moment, and signs in. */
export async function adminOf(weft: Weft, flags?: string[]): Promise<string> {
  const person = { email: 'ann@example.org', password: 'correct horse' }
  await weft.kill()
  const add = ['user', 'add', person.email, '--admin', '--password-stdin', '--data', weft.data]
  execFileSync(binary, add, { input: person.password })
  await weft.start(flags)
  const answer = await fetch(`${weft.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(person),
  })
  return ((await answer.json()) as { data: { token: string } }).data.token
}
