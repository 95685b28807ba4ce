import type { Outcome } from './trial.ts'

/** What became of many seeds, as Markdown. */
export function table(outcomes: readonly Outcome[]): string {
  const counts = new Map<string, number>()
  for (const { counts: of } of outcomes)
    for (const [name, n] of Object.entries(of)) counts.set(name, (counts.get(name) ?? 0) + n)
  const failed = outcomes.filter(({ wrong }) => wrong.length > 0).map(({ seed }) => seed)
  const seconds = outcomes.map((o) => o.seconds).toSorted((a, b) => a - b)
  const at = (part: number) => seconds[Math.floor(part * (seconds.length - 1))]?.toFixed(1)
  const rows = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `
| what | times |
| --- | --- |
${rows.map(([name, n]) => `| ${name} | ${n} |`).join('\n')}

${outcomes.length} seeds, ${failed.length} failed${failed.length > 0 ? `: ${failed.sort((a, b) => a - b).join(', ')}` : ''}.
A seed took ${at(0.5)} s, the longest ${at(1)} s.
`
}

export function print(text: string): void {
  process.stdout.write(text)
}
