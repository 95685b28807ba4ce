import { useSyncExternalStore } from 'react'
import {
  asksNotToBeTracked,
  logMessage,
  sendingState,
  startSending,
  stopSending,
  subscribeSending,
} from './send.ts'
import {
  clearVisit,
  currentVisit,
  type EventKind,
  firstPaint,
  largestPaint,
  subscribe,
  type Visit,
  type VisitEvent,
} from './visit.ts'
import './visits.css'

/** Shows the events of this visit. They stay in the tab unless the visitor turns on sending. */
export function VisitLog() {
  const visit = useSyncExternalStore(subscribe, currentVisit)
  return (
    <section className="visits-app" aria-label="Events of this visit">
      <Totals visit={visit} />
      <SendingControl visit={visit} />
      <div className="visits-head">
        <h2>Timeline</h2>
        <button type="button" className="button quiet" onClick={clearVisit}>
          Clear
        </button>
      </div>
      <Timeline visit={visit} />
      <p className="visits-quiet">
        Recording starts when you open this page and continues on all pages you visit in this tab.
        The events are deleted when you close the tab. Text you type is not recorded.
      </p>
    </section>
  )
}

function Totals({ visit: { events } }: { visit: Visit }) {
  const ofKind = (kind: EventKind) => events.filter((event) => event.kind === kind)
  const lastValue = (text: string) => events.findLast((event) => event.text === text)?.value
  const shiftScore = ofKind('shift').reduce((sum, { value = 0 }) => sum + value, 0)
  return (
    <dl className="visits-totals">
      <Total name="Pages" value={ofKind('page').length} />
      <Total name="Clicks" value={ofKind('click').length} />
      <Total name="First paint" value={formatMs(lastValue(firstPaint))} />
      <Total name="Largest paint" value={formatMs(lastValue(largestPaint))} />
      <Total name="Layout shift" value={shiftScore.toFixed(3)} />
      <Total name="Errors" value={ofKind('error').length} />
    </dl>
  )
}

const formatMs = (value: number | undefined): string =>
  value === undefined ? 'not available' : `${Math.round(value)} ms`

function Total({ name, value }: { name: string; value: string | number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function SendingControl({ visit }: { visit: Visit }) {
  const sending = useSyncExternalStore(subscribeSending, sendingState)
  const isDisabled = asksNotToBeTracked()
  const lastEvents = visit.events.slice(-3)
  return (
    <div className="visits-send">
      <label>
        <input
          type="checkbox"
          disabled={isDisabled}
          checked={sending.state === 'on'}
          onChange={(event) => (event.currentTarget.checked ? startSending() : stopSending())}
        />
        Send new events to this server’s log
      </label>
      <p role="status" className="visits-quiet">
        {isDisabled && 'Your browser asks not to be tracked, so sending is disabled.'}
        {!isDisabled && sending.state === 'off' && 'Off. No events are sent.'}
        {sending.state === 'on' && 'On. Events are sent to /api/logger, as shown below.'}
        {sending.state === 'failed' && `Stopped: ${sending.message}.`}
      </p>
      <details>
        <summary>Data that is sent</summary>
        <p className="visits-quiet">
          The request contains no cookie and no account. As with any request, the server sees your
          network address. This is the request for the last three events:
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(logMessage(lastEvents), undefined, 2)}</pre>
      </details>
    </div>
  )
}

const kindNames: Record<EventKind, string> = {
  page: 'Page',
  click: 'Click',
  paint: 'Paint',
  shift: 'Shift',
  error: 'Error',
  visibility: 'Window',
}

function Timeline({ visit: { events, dropped } }: { visit: Visit }) {
  if (events.length === 0)
    return <p className="visits-quiet">No events since you cleared the list.</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <ol className="visits-line" tabIndex={0} aria-label="Timeline, newest first">
        {events.toReversed().map((event) => (
          <TimelineItem key={event.number} event={event} />
        ))}
      </ol>
      {dropped > 0 && <p className="visits-quiet">The oldest {dropped} events are not shown.</p>}
    </>
  )
}

function TimelineItem({ event: { kind, time, text, value } }: { event: VisitEvent }) {
  const date = new Date(time)
  return (
    <li data-kind={kind}>
      <time dateTime={date.toISOString()}>{date.toLocaleTimeString('en-GB')}</time>
      <span>
        <strong>{kindNames[kind]}</strong> {text}
        {value !== undefined &&
          (kind === 'paint' ? ` after ${formatMs(value)}` : ` ${value.toFixed(3)}`)}
      </span>
    </li>
  )
}
