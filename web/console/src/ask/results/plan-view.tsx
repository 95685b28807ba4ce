import { Table } from '../../parts/table.tsx'

/** A step of a plan in the server's format: its depth, and its rows. Only admins get `estimated` and the time `ms`. */
interface Step {
  readonly level: number
  readonly label: string
  readonly estimated?: number | undefined
  readonly actual?: number | undefined
  readonly ms?: number | undefined
}

interface PlanViewProps {
  readonly plan: string
  readonly steps: readonly Step[] | undefined
}

/** The steps of the server's answer, with the rows and the time of each. */
export function PlanView({ plan, steps }: PlanViewProps) {
  const rows = (steps ?? parsePlan(plan)).map((step, i) => ({ ...step, i }))
  const most = Math.max(...rows.map(({ ms = 0 }) => ms), 0.001)
  const hasTimes = steps !== undefined
  return (
    <>
      <Table
        label="Plan"
        rows={rows}
        keyOf={({ i }) => i}
        columns={[
          {
            name: 'Step',
            cell: ({ label, level }) => (
              <span className={`plan-step level-${Math.min(level, 8)}`}>{label}</span>
            ),
          },
          ...(hasTimes
            ? [
                {
                  name: 'Expected rows',
                  isNumber: true,
                  cell: ({ estimated = -1 }: Step) => (estimated < 0 ? '' : estimated),
                },
              ]
            : []),
          {
            name: 'Rows',
            isNumber: true,
            cell: ({ actual = -1 }: Step) => (actual < 0 ? 'skipped' : actual),
          },
          ...(hasTimes
            ? [
                {
                  name: 'Milliseconds',
                  isNumber: true,
                  cell: ({ ms = 0 }: Step) => (
                    <span className="plan-time">
                      <meter max={most} value={ms} aria-hidden="true" /> {ms.toFixed(2)}
                    </span>
                  ),
                },
              ]
            : []),
        ]}
      />
      <p className="soft plan-note">
        {hasTimes
          ? 'The first step includes the search for records. All links of one level are followed together, so each shows the total time of the level.'
          : 'Expected rows and times are shown to admins only, because they depend on records that other users may not see.'}
      </p>
    </>
  )
}

/** Parses the lines of a plan, such as `  the_order_status (status) (estimated 4, actual 2)`. */
function parsePlan(plan: string): readonly Step[] {
  return plan
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const numbers = / \((?:estimated (\d+)(?:, )?)?(?:actual (\d+)|skipped)?\)$/.exec(line)
      return {
        level: (line.length - line.trimStart().length) / 2,
        label: (numbers ? line.slice(0, numbers.index) : line).trim(),
        actual: numbers?.[2] === undefined ? undefined : Number(numbers[2]),
      }
    })
}
