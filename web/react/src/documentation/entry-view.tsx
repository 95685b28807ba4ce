import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { sanitize } from '../page/sanitize.ts'
import type { Entry } from './entry.ts'

/** One entry of what is written about a widget. Origin is that of the server: its images are shown. */
export function EntryView({ entry, url }: { entry: Entry; url: string }) {
  const { docTitle, type, text, content, creatorEmail, createdBy } = entry
  const heading = [docTitle, kinds.get(type)].filter(Boolean).join(' ')
  return (
    <article>
      {heading && <h3>{heading}</h3>}
      {text && <p className="text">{text}</p>}
      {content && <Html html={content} />}
      {type === 'api' && <Api entry={entry} />}
      {type === 'function' && <Code entry={entry} />}
      <Links title="Web links" addresses={entry.docUrls} />
      <Media title="Attachments" addresses={entry.imageUrls} url={url}>
        {(address, name) => <img src={address} alt={name} loading="lazy" />}
      </Media>
      <Media
        title="Videos"
        addresses={entry.videoLinks}
        url={url}
        note="Videos of other sites are not shown in here."
      >
        {(address, name) => <iframe src={address} title={name} sandbox="" loading="lazy" />}
      </Media>
      {creatorEmail && (
        <p className="author">
          - added by: {createdBy ? <Away to={createdBy}>{creatorEmail}</Away> : creatorEmail}
        </p>
      )}
    </article>
  )
}

const kinds = new Map([
  ['api', '(API)'],
  ['function', '(Functions and Classes)'],
  ['imgAndLink', '(Images and Links)'],
])

/** Stored HTML, cleaned here as well as by the server. */
function Html({ html }: { html: string }) {
  const host = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => host.current?.replaceChildren(sanitize(html)), [html])
  return <div className="content" ref={host} />
}

function Api({ entry }: { entry: Entry }) {
  const json = entry.jsonList.map(({ key, value }) => `${key}: ${value}`).join(', ')
  return (
    <dl>
      <Row name="Method Type">{entry.method.toUpperCase()}</Row>
      <Row name="Endpoint">
        {entry.methodUrl && <Away to={entry.methodUrl}>{entry.methodUrl}</Away>}
      </Row>
      <Row name="Auth Type">{auths.get(entry.authType) ?? (entry.authType || 'None')}</Row>
      <Row name="Username">{entry.hasUsername && <Secret />}</Row>
      <Row name="Password">{entry.hasPassword && <Secret />}</Row>
      <Row name="Token">{entry.hasBearerToken && <Secret />}</Row>
      <Row name="JSON">{json}</Row>
      <Row name="Body">{entry.apiBody && <Listing of={entry.apiBody} />}</Row>
      <Row name="Scripts">{entry.apiScript && <Listing of={entry.apiScript} />}</Row>
    </dl>
  )
}

const auths = new Map([
  ['basicAuth', 'Basic Auth'],
  ['bearerToken', 'Bearer Token'],
  ['none', 'None'],
])

function Code({ entry }: { entry: Entry }) {
  return (
    <dl>
      <Row name="Language">{entry.language}</Row>
      <Row name="Parameter">{entry.codeEditor && <Listing of={entry.codeEditor} />}</Row>
      <Row name="Returns">{entry.return}</Row>
    </dl>
  )
}

/** Nothing where there is nothing to say. */
function Row({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Something that nobody is told. */
const Secret = () => (
  <>
    <span aria-hidden="true">•••••••• </span>set
  </>
)

function Listing({ of: text }: { of: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  )
}

interface MediaProps {
  readonly title: string
  readonly addresses: readonly string[]
  readonly url: string
  readonly note?: string
  readonly children: (address: string, name: string) => ReactNode
}

/** Shows what lies on this site. Visitors are not sent to others unless they want to go. */
function Media({ title, addresses, url, note, children }: MediaProps) {
  const here = addresses.filter((address) => new URL(address).origin === new URL(url).origin)
  const elsewhere = addresses.filter((address) => !here.includes(address))
  if (addresses.length === 0) return null
  return (
    <>
      {here.length > 0 && <h4>{title}</h4>}
      {here.map((address) => (
        <div className="media" key={address}>
          {children(address, nameOf(address))}
        </div>
      ))}
      <Links title={here.length > 0 ? '' : title} addresses={elsewhere} note={note} />
    </>
  )
}

interface LinksProps {
  readonly title: string
  readonly addresses: readonly string[]
  readonly note?: string | undefined
}

function Links({ title, addresses, note }: LinksProps) {
  if (addresses.length === 0) return null
  return (
    <>
      {title && <h4>{title}</h4>}
      {note && <p className="note">{note}</p>}
      <ul>
        {addresses.map((address) => (
          <li key={address}>
            <Away to={address}>{address}</Away>
          </li>
        ))}
      </ul>
    </>
  )
}

function Away({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** The last part of an address, for those who do not see what is there. */
const nameOf = (address: string): string => new URL(address).pathname.split('/').at(-1) || address
