import { useConsole } from '../model/console.tsx'
import { Icon } from '../parts/icon.tsx'
import type { GraphNode } from './use-node.ts'

/** The owner of shared records: all users may add links to these. */
const everyone = 999
/** The owner of records that come with the server, such as its pages. */
const system = 2

/** The section of a record about the users who may see or change it. */
export function AccessSection({ node: { node } }: { node: GraphNode }) {
  const { session } = useConsole()
  const isPublic = node.access === 5 || node.owner === everyone
  const isAdminOnly = node.access === 3
  const mayChange = session.isAdmin || node.owner === session.userId || node.owner === everyone
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
          {node.owner === everyone ? 'All users who may write' : 'The owner and admins'}
          {!mayChange && <span className="soft">You can see this record but not change it.</span>}
        </dd>
      </dl>
    </section>
  )
}

function ownerText(owner: number, user: number | undefined): string {
  if (owner === user) return 'You'
  if (owner === everyone) return 'All users'
  return owner === system ? 'This server' : `User ${owner}`
}
