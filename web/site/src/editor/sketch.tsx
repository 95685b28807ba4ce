/** A drawing of the example ideas, shown while the graph is empty. */
export function Sketch() {
  return (
    <figure className="editor-sketch">
      <svg viewBox="0 0 640 250" aria-hidden="true" focusable="false">
        {links.map(({ color, path }) => (
          <path key={path} className={`weft fine ${color}`} d={path} />
        ))}
        {ideas.map(({ name, x, y, isLabelAbove }) => (
          <g key={name}>
            <circle className="knot" cx={x} cy={y} r="15" />
            <text x={x} y={isLabelAbove ? y - 28 : y + 44} textAnchor="middle">
              {name}
            </text>
          </g>
        ))}
        {linkLabels.map(({ text, x, y }) => (
          <text key={text} className="editor-link-label" x={x} y={y} textAnchor="middle">
            {text}
          </text>
        ))}
      </svg>
      <figcaption>
        There are no ideas yet. The example contains four ideas and four links.
      </figcaption>
    </figure>
  )
}

const ideas = [
  { name: 'App', x: 60, y: 60, isLabelAbove: true },
  { name: 'Outbox', x: 280, y: 60, isLabelAbove: true },
  { name: 'Cache', x: 280, y: 190, isLabelAbove: false },
  { name: 'Server', x: 560, y: 125, isLabelAbove: false },
]

const links = [
  { color: 'b', path: 'M60 60H280' },
  { color: 'd', path: 'M280 60C400 60 430 125 560 125' },
  { color: 'a', path: 'M280 190C400 190 430 125 560 125' },
  { color: 'c', path: 'M280 190V60' },
]

const linkLabels = [
  { text: 'writes to', x: 165, y: 44 },
  { text: 'is sent to', x: 440, y: 74 },
  { text: 'is filled by', x: 450, y: 190 },
  { text: 'includes', x: 335, y: 142 },
]
