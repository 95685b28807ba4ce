import { execFileSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { type AppPage, openApp } from './app.ts'
import { binary, startWeft, type Weft } from './weft.ts'

/** The password of every user in the console tests. */
export const password = 'correct horse'

/**
 * Starts a server with an admin, ada@example.org, and a user, bob@example.org. It stops after the test, unless `cleanUp` is given,
 * which receives the function that stops it.
 */
export async function startWithUsers(
  flags: string[] = [],
  cleanUp?: (end: () => Promise<void>) => void,
): Promise<Weft> {
  const weft = await startWeft(cleanUp)
  await weft.kill()
  const add = (email: string, ...more: string[]) =>
    execFileSync(binary, ['user', 'add', email, '--password-stdin', '--data', weft.data, ...more], {
      input: password,
    })
  add('ada@example.org', '--admin')
  add('bob@example.org')
  await weft.start(flags)
  return weft
}

/** Opens a path of the console and signs in with the keyboard. */
export async function openAs(weft: Weft, path: string, email: string): Promise<AppPage> {
  const app = await openApp(`${weft.url}/console${path}`)
  await signIn(app.page, email)
  return app
}

/** Signs in with the form of the console and the keyboard. Waits until the console is shown. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').press('Control+a')
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('contentinfo').waitFor()
}
