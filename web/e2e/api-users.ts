import { expect } from 'vitest'
import { password } from './console-user.ts'
import type { Weft } from './weft.ts'

/** Calls the API of a server as several users. A user without a token is a guest. */
export class ApiUsers {
  readonly #weft: Weft
  readonly #tokens = new Map<string, string>()

  constructor(weft: Weft) {
    this.#weft = weft
  }

  /** Signs users in. Later calls as one of these users send the token of this user. */
  async signIn(...emails: readonly string[]): Promise<void> {
    for (const email of emails) {
      const { data } = await this.send<{ data: { token: string } }>(email, '/api/auth/login', {
        email,
        password,
      })
      this.#tokens.set(email, data.token)
    }
  }

  /** Returns the header with the token of a user; no header for a guest. */
  authorization(email: string): Record<string, string> {
    const token = this.#tokens.get(email)
    return token === undefined ? {} : { Authorization: `Bearer ${token}` }
  }

  /** Sends JSON as a user, and expects that the server accepts it. */
  async send<T>(email: string, path: string, body: unknown): Promise<T> {
    const response = await fetch(this.#weft.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...this.authorization(email) },
      body: JSON.stringify(body),
    })
    expect(response.ok).toBe(true)
    return (await response.json()) as T
  }

  /**
   * Creates a record with a name and, if `folder` is given, a link to the record with this id. `accessId` is 4 for a private
   * record and 5 for a public one. Returns the id of the new record.
   */
  async createRecord(
    email: string,
    type: string,
    name: string,
    accessId: number,
    folder?: number,
  ): Promise<number> {
    const draft = { categoryId: 4, accessId }
    const base = -Math.floor(Math.random() * 1_000_000_000) - 1
    const link = { orderId: 1000, accessId, ofTheConceptId: base }
    const toFolder = {
      ...link,
      id: base - 3,
      toTheConceptId: folder,
      typeCharacter: `${type}_folder`,
    }
    const { concepts } = await this.send<{ concepts: { id: number; ghostId: number }[] }>(
      email,
      '/api/v1/local-concepts',
      {
        concepts: [
          { ...draft, id: base, typeCharacter: type, isComposition: true },
          { ...draft, id: base - 1, typeCharacter: 'the_name', characterValue: name },
        ],
        connections: [
          { ...link, id: base - 2, toTheConceptId: base - 1, typeId: base },
          ...(folder === undefined ? [] : [toFolder]),
        ],
      },
    )
    return concepts.find(({ ghostId }) => ghostId === base)?.id ?? 0
  }
}
