import { useSyncExternalStore } from 'react'
import { asksToBeLeft, messageOf, sendingNow, switchOff, switchOn, watchSending } from './send.ts'
import { clear, type Happening, type Kind, latest, subscribe, type Visit } from './visit.ts'
import './visits.css'

/** Shows what happens in this visit, which stays in this tab unless one switches sending on. */
export function VisitLog() {
  const visit = useSyncExternalStore(subscribe, latest)
  return (
    <section className="visits-app" aria-label="What this visit left behind">
      <Totals visit={visit} />
      <Sender visit={visit} />
      <div className="visits-head">
        <h2>What happened</h2>
        <button type="button" className="button quiet" onClick={clear}>
          Clear
        </button>
      </div>
      <Timeline visit={visit} />
      <p className="visits-quiet">
        Noted since this page was opened in this tab, on every page you walk to from here, and gone
        when the tab closes. Nothing you type is noted.
      </p>
    </section>
  )
}

function Totals({ visit: { happenings } }: { visit: Visit }) {
  const of = (kind: Kind) => happenings.filter((one) => one.kind === kind)
  const last = (says: string) => happenings.findLast((one) => one.says === says)?.value
  const shifts = of('shift').reduce((sum, { value = 0 }) => sum + value, 0)
  return (
    <dl className="visits-totals">
      <Total name="Pages" value={of('page').length} />
      <Total name="Clicks" value={of('click').length} />
      <Total name="First paint" value={inMs(last('first paint'))} />
      <Total name="Largest paint" value={inMs(last('largest paint'))} />
      <Total name="Layout shift" value={shifts.toFixed(3)} />
      <Total name="Errors" value={of('error').length} />
    </dl>
  )
}

const inMs = (value: number | undefined): string =>
  value === undefined ? 'not told' : `${Math.round(value)} ms`

function Total({ name, value }: { name: string; value: string | number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Sender({ visit }: { visit: Visit }) {
  const sending = useSyncExternalStore(watchSending, sendingNow)
  const left = asksToBeLeft()
  const sample = visit.happenings.slice(-3)
  return (
    <div className="visits-send">
      <label>
        <input
          type="checkbox"
          disabled={left}
          checked={sending.state === 'on'}
          onChange={(event) => (event.currentTarget.checked ? switchOn() : switchOff())}
        />
        Send what happens from now on to this server’s log
      </label>
      <p role="status" className="visits-quiet">
        {left && 'Your browser asks not to be tracked, so sending stays off.'}
        {!left && sending.state === 'off' && 'Off. Nothing of this visit is sent.'}
        {sending.state === 'on' && 'On. The last three would go to /api/logger as below.'}
        {sending.state === 'failed' && `Stopped: ${sending.message}.`}
      </p>
      <details>
        <summary>Exactly what would be sent</summary>
        <p className="visits-quiet">
          The request names no cookie and no account. As with any request, the server sees your
          address.
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(messageOf(sample), undefined, 2)}</pre>
      </details>
    </div>
  )
}

const names: Record<Kind, string> = {
  page: 'Page',
  click: 'Click',
  paint: 'Paint',
  shift: 'Shift',
  error: 'Error',
  seen: 'Window',
}

function Timeline({ visit: { happenings, dropped } }: { visit: Visit }) {
  if (happenings.length === 0) return <p className="visits-quiet">Nothing since you cleared it.</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <ol className="visits-line" tabIndex={0} aria-label="Timeline, the newest first">
        {happenings.toReversed().map((one) => (
          <Line key={one.nth} one={one} />
        ))}
      </ol>
      {dropped > 0 && <p className="visits-quiet">The oldest {dropped} are not shown.</p>}
    </>
  )
}

function Line({ one: { kind, at, says, value } }: { one: Happening }) {
  const time = new Date(at)
  return (
    <li data-kind={kind}>
      <time dateTime={time.toISOString()}>{time.toLocaleTimeString('en-GB')}</time>
      <span>
        <strong>{names[kind]}</strong> {says}
        {value !== undefined &&
          (kind === 'paint' ? ` after ${inMs(value)}` : ` ${value.toFixed(3)}`)}
      </span>
    </li>
  )
}
