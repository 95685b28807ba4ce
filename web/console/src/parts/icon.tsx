const paths = {
  records: 'M2 3h12v10H2zM2 6.5h12M2 10h12M6 3v10',
  graph:
    'M5.4 7l5.2-2.6M5.4 9l5.2 2.6M5 8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M14 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M14 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0',
  ask: 'M2 3h12M4 8h8M6.5 13h3',
  schema: 'M2 2.5h5v4H2zM9 9.5h5v4H9zM4.5 6.5v5H9',
  content: 'M3 2h7l3 3v9H3zM5.5 8h5M5.5 11h5',
  people: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M3 14c0-3 2-4.5 5-4.5s5 1.5 5 4.5',
  operation: 'M2 12l3.5-5 3 3L14 3.5',
  api: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  more: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0M10.5 10.5 14 14',
  plus: 'M8 3v10M3 8h10',
  close: 'm4 4 8 8M12 4l-8 8',
  up: 'm4 10 4-4 4 4',
  down: 'm4 6 4 4 4-4',
  left: 'm10 4-4 4 4 4',
  right: 'm6 4 4 4-4 4',
  lock: 'M4 7.5h8V13H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  globe:
    'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0M2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14M8 2C6 4 5.5 6 5.5 8S6 12 8 14',
  copy: 'M5.5 5.5H13V13H5.5zM10.5 5.5V3H3v7.5h2.5',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5 5 13.5h6l.5-9',
} as const

/** The name of an icon of the console. */
export type IconName = keyof typeof paths

/** An icon next to text or in a button with a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
