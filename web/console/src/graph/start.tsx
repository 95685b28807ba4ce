import { navigate } from '../model/router.ts'
import { Link } from '../parts/link.tsx'
import { FindRecord } from './find-record.tsx'
import type { SavedDrawing } from './saved.ts'

/** The room before anything is drawn: a search for a record, and the saved drawings. */
export function Start({ saved }: { readonly saved: readonly SavedDrawing[] }) {
  return (
    <div className="state">
      <h2>Choose a record to draw</h2>
      <p>The drawing begins with the record and the records that are linked to it.</p>
      <FindRecord verb="Draw" choose={({ id }) => navigate(`/graph/${id}`)} />
      {saved.length > 0 && (
        <>
          <h2>Saved drawings</h2>
          <ul>
            {saved.map(({ id, name }) => (
              <li key={id}>
                <Link className="underline" to={`/graph/d/${encodeURIComponent(name)}`}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
