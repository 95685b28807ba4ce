/** How the server found an answer, step by step, and how many rows each came to. */
export function Plan({ text }: { text: string }) {
  const steps = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(stepOf)
  const guessed = steps.some(({ estimated }) => estimated !== '')
  return (
    <section className="schema-plan" aria-label="How it was found">
      <h2>How it was found</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Step</th>
            {guessed && <th scope="col">Expected</th>}
            <th scope="col">Rows</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ level, says, estimated, actual }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan is a text that never changes
            <tr key={i}>
              <th scope="row" data-level={Math.min(level, 6)}>
                {says}
              </th>
              {guessed && <td>{estimated}</td>}
              <td>{actual}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!guessed && (
        <p className="schema-quiet">What was expected is told to administrators only.</p>
      )}
    </section>
  )
}

/** Reads a line such as `  the_order_status (status) (estimated 4, actual 2)`. */
function stepOf(line: string) {
  const numbers = / \((?:estimated (\d+)(?:, )?)?(?:actual (\d+))?\)$/.exec(line)
  return {
    level: (line.length - line.trimStart().length) / 2,
    says: (numbers ? line.slice(0, numbers.index) : line).trim(),
    estimated: numbers?.[1] ?? '',
    actual: numbers?.[2] ?? '',
  }
}
