import type { CharacterTest } from './character-class.ts'
import { type PatternNode, parsePattern } from './pattern-syntax.ts'

/** A step of the automaton: consumes a character, tests an assertion, jumps to other steps, or accepts. */
type Step =
  | { readonly matches: CharacterTest }
  | { readonly holds: (before: number, after: number) => boolean }
  | { to: readonly number[] }
  | 'found'

/** Maximum number of steps of a pattern. */
const maxSteps = 20_000

/**
 * Compiles a pattern with the syntax of Go's package regexp to a function that searches for it anywhere in its
 * argument. The search simulates a nondeterministic automaton: each step runs at most once per character, so the time
 * is linear in the length of the argument. Throws a SyntaxError for a malformed or too large pattern.
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const steps = compileSteps(parsePattern(pattern))
  return (text) =>
    runSteps(
      steps,
      Array.from(text, (c) => c.codePointAt(0) ?? 0),
    )
}

function compileSteps(node: PatternNode): readonly Step[] {
  const steps: Step[] = []
  const add = (step: Step): number => {
    if (steps.length >= maxSteps)
      throw new SyntaxError(`the pattern needs more than ${maxSteps} steps`)
    return steps.push(step) - 1
  }
  const times = (count: number, of: PatternNode) => {
    for (let i = 0; i < count; i++) write(of)
  }
  const write = (node: PatternNode): void => {
    switch (node.kind) {
      case 'character':
        add({ matches: node.matches })
        return
      case 'assertion':
        add({ holds: node.holds })
        return
      case 'sequence':
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
  const repeat = ({ of, min, max }: PatternNode & { kind: 'repeat' }): void => {
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

function runSteps(steps: readonly Step[], text: readonly number[]): boolean {
  const seen = new Int32Array(steps.length).fill(-1)
  /** The steps that follow a consumed character. */
  let active: number[] = []
  for (let position = 0; position <= text.length; position++) {
    const before = text[position - 1] ?? -1
    const after = text[position] ?? -1
    // A match may begin at every character.
    const reached = [...active, 0]
    active = []
    while (reached.length > 0) {
      const index = reached.pop() ?? 0
      const step = steps[index]
      if (step === undefined || seen[index] === position) continue
      seen[index] = position
      if (step === 'found') return true
      if ('to' in step) reached.push(...step.to)
      else if ('holds' in step) {
        if (step.holds(before, after)) reached.push(index + 1)
      } else if (after >= 0 && step.matches(after)) active.push(index + 1)
    }
  }
  return false
}
