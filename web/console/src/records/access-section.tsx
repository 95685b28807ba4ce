import { mayChange, sharedOwner } from '../model/access.ts'
import { useConsole } from '../model/console.tsx'
import { Icon } from '../parts/icon.tsx'
import { OwnerName } from '../parts/owner.tsx'
import type { GraphNode } from './use-node.ts'

/** The section of a record about the users who may see and change it. */
export function AccessSection({ node: { node } }: { node: GraphNode }) {
  const { session } = useConsole()
  const isPublic = node.access === 5 || node.owner === sharedOwner // 5 means public
  const isAdminOnly = node.access === 3 // 3 means for admins only
  return (
    <section className="section d" aria-label="Access">
      <h2>
        Access <small>who can see or change this</small>
      </h2>
      <dl className="pairs">
        <dt>Owner</dt>
        <dd>
          <OwnerName owner={node.owner} isStart />
        </dd>
        <dt>Visible to</dt>
        <dd>
          <Icon name={isPublic ? 'globe' : 'lock'} />
          {isPublic ? 'Everyone' : isAdminOnly ? 'Admins' : 'The owner and admins'}
        </dd>
        <dt>Editable by</dt>
        <dd>
          <div>
            <p>
              {node.owner === sharedOwner
                ? 'Admins; all users may add links'
                : 'The owner and admins'}
            </p>
            {!mayChange(session, node.owner) && (
              <p className="soft">You can see this record but not change it.</p>
            )}
          </div>
        </dd>
      </dl>
    </section>
  )
}
