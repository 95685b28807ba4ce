import type { Takes } from './class.ts'
import { type Node, parse } from './syntax.ts'

/** A step of the search: takes a character, looks around, goes on in two ways, or has found something. */
type Step =
  | { readonly takes: Takes }
  | { readonly holds: (before: number, after: number) => boolean }
  | { to: readonly number[] }
  | 'found'

/** How many steps the largest pattern is made of. */
const mostSteps = 20_000

/**
 * A search for a pattern of Go's package regexp anywhere in a text. Every step is tried at most once for each
 * character, so that the time is that of the text, whatever the pattern. Throws for what is no pattern.
 */
export function search(pattern: string): (text: string) => boolean {
  const steps = stepsOf(parse(pattern))
  return (text) =>
    found(
      steps,
      Array.from(text, (c) => c.codePointAt(0) ?? 0),
    )
}

function stepsOf(node: Node): readonly Step[] {
  const steps: Step[] = []
  const add = (step: Step): number => {
    if (steps.length >= mostSteps) throw new SyntaxError('the pattern is too large')
    return steps.push(step) - 1
  }
  const times = (count: number, of: Node) => {
    for (let i = 0; i < count; i++) write(of)
  }
  const write = (node: Node): void => {
    switch (node.kind) {
      case 'one':
        add({ takes: node.takes })
        return
      case 'between':
        add({ holds: node.holds })
        return
      case 'row':
        node.parts.forEach(write)
        return
      case 'choice': {
        const fork = { to: [] as number[] }
        add(fork)
        const ends = node.parts.map((part) => {
          fork.to.push(steps.length)
          write(part)
          const end = { to: [] as number[] }
          add(end)
          return end
        })
        for (const end of ends) end.to.push(steps.length)
        return
      }
      case 'repeat':
        repeat(node)
    }
  }
  const repeat = ({ of, min, max }: Node & { kind: 'repeat' }): void => {
    times(min, of)
    if (max === Infinity) {
      const fork = { to: [] as number[] }
      const start = add(fork)
      write(of)
      add({ to: [start] })
      fork.to.push(start + 1, steps.length)
      return
    }
    const forks = Array.from({ length: max - min }, () => {
      const fork = { to: [] as number[] }
      fork.to.push(add(fork) + 1)
      write(of)
      return fork
    })
    for (const fork of forks) fork.to.push(steps.length)
  }
  write(node)
  add('found')
  return steps
}

function found(steps: readonly Step[], text: readonly number[]): boolean {
  const seen = new Int32Array(steps.length).fill(-1)
  let here: number[] = []
  for (let at = 0; at <= text.length; at++) {
    const before = text[at - 1] ?? -1
    const after = text[at] ?? -1
    // A search may begin at every character.
    const reached = [...here, 0]
    here = []
    while (reached.length > 0) {
      const index = reached.pop() ?? 0
      const step = steps[index]
      if (step === undefined || seen[index] === at) continue
      seen[index] = at
      if (step === 'found') return true
      if ('to' in step) reached.push(...step.to)
      else if ('holds' in step) {
        if (step.holds(before, after)) reached.push(index + 1)
      } else if (after >= 0 && step.takes(after)) here.push(index + 1)
    }
  }
  return false
}
