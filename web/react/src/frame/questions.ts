import { type Call, calls, type FromFrame } from '../widget/protocol.ts'

interface Open {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** What a widget asks the page, until it is answered. */
export class Questions {
  readonly #tell: (message: FromFrame) => void
  readonly #open = new Map<number, Open>()
  #last = 0
  readonly calls: Readonly<Record<Call, (...args: unknown[]) => Promise<unknown>>>

  constructor(tell: (message: FromFrame) => void) {
    this.#tell = tell
    const ask =
      (name: Call) =>
      (...args: unknown[]) =>
        this.#ask(name, args)
    this.calls = Object.fromEntries(calls.map((name) => [name, ask(name)])) as typeof this.calls
  }

  answer(call: number, value: unknown): void {
    this.#open.get(call)?.resolve(value)
    this.#open.delete(call)
  }

  refuse(call: number, message: string): void {
    this.#open.get(call)?.reject(new Error(message))
    this.#open.delete(call)
  }

  #ask(name: Call, args: readonly unknown[]): Promise<unknown> {
    const call = ++this.#last
    return new Promise((resolve, reject) => {
      this.#open.set(call, { resolve, reject })
      this.#tell({ kind: 'call', call, name, args })
    })
  }
}
