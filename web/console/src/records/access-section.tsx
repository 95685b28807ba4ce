import { mayChange, sharedOwner, systemOwner } from '../model/access.ts'
import { useConsole } from '../model/console.tsx'
import { Icon } from '../parts/icon.tsx'
import type { GraphNode } from './use-node.ts'

/** The section of a record about the users who may see and change it. */
export function AccessSection({ node: { node } }: { node: GraphNode }) {
  const { session } = useConsole()
  const isPublic = node.access === 5 || node.owner === sharedOwner
  const isAdminOnly = node.access === 3
  return (
    <section className="section d" aria-label="Access">
      <h2>
        Access <small>who can see or change this</small>
      </h2>
      <dl className="pairs">
        <dt>Owner</dt>
        <dd>{ownerText(node.owner, session.userId)}</dd>
        <dt>Visible to</dt>
        <dd>
          <Icon name={isPublic ? 'globe' : 'lock'} />
          {isPublic ? 'Everyone' : isAdminOnly ? 'Admins' : 'The owner and admins'}
        </dd>
        <dt>Editable by</dt>
        <dd>
          {node.owner === sharedOwner ? 'Admins; all users may add links' : 'The owner and admins'}
          {!mayChange(session, node.owner) && (
            <span className="soft">You can see this record but not change it.</span>
          )}
        </dd>
      </dl>
    </section>
  )
}

function ownerText(owner: number, user: number | undefined): string {
  if (owner === user) return 'You'
  if (owner === sharedOwner) return 'All users'
  return owner === systemOwner ? 'This server' : `User ${owner}`
}
