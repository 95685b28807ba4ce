import { type CallName, callNames, type FromFrame } from '../widget/protocol.ts'

interface PendingCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** The calls of a widget to the page that have no result yet. */
export class PendingCalls {
  readonly #send: (message: FromFrame) => void
  readonly #pending = new Map<number, PendingCall>()
  #lastCall = 0
  /** The functions that widget code calls: `get`, `query`, `record` and `find`. */
  readonly functions: Readonly<Record<CallName, (...args: unknown[]) => Promise<unknown>>>

  constructor(send: (message: FromFrame) => void) {
    this.#send = send
    const callFunction =
      (name: CallName) =>
      (...args: unknown[]) =>
        this.#call(name, args)
    this.functions = Object.fromEntries(
      callNames.map((name) => [name, callFunction(name)]),
    ) as typeof this.functions
  }

  resolve(call: number, value: unknown): void {
    this.#pending.get(call)?.resolve(value)
    this.#pending.delete(call)
  }

  reject(call: number, message: string): void {
    this.#pending.get(call)?.reject(new Error(message))
    this.#pending.delete(call)
  }

  #call(name: CallName, args: readonly unknown[]): Promise<unknown> {
    const call = ++this.#lastCall
    return new Promise((resolve, reject) => {
      this.#pending.set(call, { resolve, reject })
      this.#send({ kind: 'call', call, name, args })
    })
  }
}
