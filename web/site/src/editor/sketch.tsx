/** The example as it would stand here, while there is nothing to show. */
export function Sketch() {
  return (
    <figure className="editor-sketch">
      <svg viewBox="0 0 640 250" aria-hidden="true" focusable="false">
        {threads.map(({ dye, path }) => (
          <path key={path} className={`weft fine ${dye}`} d={path} />
        ))}
        {knots.map(({ name, x, y, above }) => (
          <g key={name}>
            <circle className="knot" cx={x} cy={y} r="15" />
            <text x={x} y={above ? y - 28 : y + 44} textAnchor="middle">
              {name}
            </text>
          </g>
        ))}
        {says.map(({ how, x, y }) => (
          <text key={`${how} ${x}`} className="editor-says" x={x} y={y} textAnchor="middle">
            {how}
          </text>
        ))}
      </svg>
      <figcaption>
        There are no ideas yet. This is what the example ties: four ideas, four links.
      </figcaption>
    </figure>
  )
}

const knots = [
  { name: 'Loom', x: 60, y: 60, above: true },
  { name: 'Warp', x: 280, y: 60, above: true },
  { name: 'Weft', x: 280, y: 190, above: false },
  { name: 'Cloth', x: 560, y: 125, above: false },
]

const threads = [
  { dye: 'b', path: 'M60 60H280' },
  { dye: 'd', path: 'M280 60C400 60 430 125 560 125' },
  { dye: 'a', path: 'M280 190C400 190 430 125 560 125' },
  { dye: 'c', path: 'M280 190V60' },
]

const says = [
  { how: 'holds', x: 165, y: 44 },
  { how: 'becomes', x: 440, y: 74 },
  { how: 'becomes', x: 440, y: 190 },
  { how: 'crosses', x: 330, y: 142 },
]
