/** The query plan: the steps of the server, with the number of rows of each. */
export function Plan({ plan }: { plan: string }) {
  const steps = plan
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseStep)
  const hasEstimates = steps.some(({ estimated }) => estimated !== '')
  return (
    <section className="schema-plan" aria-label="Query plan">
      <h2>Query plan</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Step</th>
            {hasEstimates && <th scope="col">Estimated rows</th>}
            <th scope="col">Actual rows</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ level, text, estimated, actual }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan never changes
            <tr key={i}>
              <th scope="row" data-level={Math.min(level, 6)}>
                {text}
              </th>
              {hasEstimates && <td>{estimated}</td>}
              <td>{actual}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!hasEstimates && <p className="schema-quiet">Estimates are shown to admins only.</p>}
    </section>
  )
}

/** Parses a line such as `  the_order_status (status) (estimated 4, actual 2)`. */
function parseStep(line: string) {
  const numbers = / \((?:estimated (\d+)(?:, )?)?(?:actual (\d+))?\)$/.exec(line)
  return {
    level: (line.length - line.trimStart().length) / 2,
    text: (numbers ? line.slice(0, numbers.index) : line).trim(),
    estimated: numbers?.[1] ?? '',
    actual: numbers?.[2] ?? '',
  }
}
