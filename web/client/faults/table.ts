import type { Outcome } from './trial.ts'

/** Formats the outcomes of many seeds as Markdown. */
export function formatTable(outcomes: readonly Outcome[]): string {
  const counts = new Map<string, number>()
  for (const outcome of outcomes)
    for (const [name, n] of Object.entries(outcome.counts))
      counts.set(name, (counts.get(name) ?? 0) + n)
  const failed = outcomes.filter(({ wrong }) => wrong.length > 0).map(({ seed }) => seed)
  const failedList = failed.length > 0 ? `: ${failed.sort((a, b) => a - b).join(', ')}` : ''
  const seconds = outcomes.map((o) => o.seconds).toSorted((a, b) => a - b)
  const quantile = (part: number) => seconds[Math.floor(part * (seconds.length - 1))]?.toFixed(1)
  const rows = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `
| event | count |
| --- | --- |
${rows.map(([name, n]) => `| ${name} | ${n} |`).join('\n')}

${outcomes.length} seeds, ${failed.length} failed${failedList}.
A seed took ${quantile(0.5)} s, the longest ${quantile(1)} s.
`
}

export function print(text: string): void {
  process.stdout.write(text)
}
