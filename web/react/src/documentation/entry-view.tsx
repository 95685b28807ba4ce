import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { sanitize } from '../stored/sanitize.ts'
import type { Entry } from './entry.ts'

/**
 * Renders one entry of the documentation of a widget.
 *
 * @param url origin of the server; images and videos of this origin are shown, and those of other sites are links
 */
export function EntryView({ entry, url }: { entry: Entry; url: string }) {
  const { docTitle, type, text, content, creatorEmail, createdBy } = entry
  const heading = [docTitle, typeLabels.get(type)].filter(Boolean).join(' ')
  return (
    <article>
      {heading && <h3>{heading}</h3>}
      {text && <p className="text">{text}</p>}
      {content && <Html html={content} />}
      {type === 'api' && <ApiDetails entry={entry} />}
      {type === 'function' && <FunctionDetails entry={entry} />}
      <Links title="Web links" addresses={entry.docUrls} />
      <Media title="Attachments" addresses={entry.imageUrls} url={url}>
        {(address, name) => <img src={address} alt={name} loading="lazy" />}
      </Media>
      <Media
        title="Videos"
        addresses={entry.videoLinks}
        url={url}
        note="Videos of other sites open on those sites."
      >
        {(address, name) => <iframe src={address} title={name} sandbox="" loading="lazy" />}
      </Media>
      {creatorEmail && (
        <p className="author">
          - added by:{' '}
          {createdBy ? <ExternalLink to={createdBy}>{creatorEmail}</ExternalLink> : creatorEmail}
        </p>
      )}
    </article>
  )
}

const typeLabels = new Map([
  ['api', '(API)'],
  ['function', '(Functions and Classes)'],
  ['imgAndLink', '(Images and Links)'],
])

/** Renders stored HTML. Sanitises it again, although the server has done so. */
function Html({ html }: { html: string }) {
  const host = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => host.current?.replaceChildren(sanitize(html)), [html])
  return <div className="content" ref={host} />
}

function ApiDetails({ entry }: { entry: Entry }) {
  const json = entry.jsonList.map(({ key, value }) => `${key}: ${value}`).join(', ')
  return (
    <dl>
      <Row name="Method Type">{entry.method.toUpperCase()}</Row>
      <Row name="Endpoint">
        {entry.methodUrl && <ExternalLink to={entry.methodUrl}>{entry.methodUrl}</ExternalLink>}
      </Row>
      <Row name="Auth Type">{authLabels.get(entry.authType) ?? (entry.authType || 'None')}</Row>
      <Row name="Username">{entry.hasUsername && <HiddenCredential />}</Row>
      <Row name="Password">{entry.hasPassword && <HiddenCredential />}</Row>
      <Row name="Token">{entry.hasBearerToken && <HiddenCredential />}</Row>
      <Row name="JSON">{json}</Row>
      <Row name="Body">{entry.apiBody && <CodeBlock text={entry.apiBody} />}</Row>
      <Row name="Scripts">{entry.apiScript && <CodeBlock text={entry.apiScript} />}</Row>
    </dl>
  )
}

const authLabels = new Map([
  ['basicAuth', 'Basic Auth'],
  ['bearerToken', 'Bearer Token'],
  ['none', 'None'],
])

function FunctionDetails({ entry }: { entry: Entry }) {
  return (
    <dl>
      <Row name="Language">{entry.language}</Row>
      <Row name="Parameter">{entry.codeEditor && <CodeBlock text={entry.codeEditor} />}</Row>
      <Row name="Returns">{entry.return}</Row>
    </dl>
  )
}

/** Renders a term and its value; nothing when the value is empty. */
function Row({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Marks a credential that is stored but never shown. */
const HiddenCredential = () => (
  <>
    <span aria-hidden="true">•••••••• </span>set
  </>
)

function CodeBlock({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
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

/**
 * Shows media of this site, and links to media of other sites, so that nothing loads from another site before a click.
 */
function Media({ title, addresses, url, note, children }: MediaProps) {
  const onThisSite = addresses.filter((address) => new URL(address).origin === new URL(url).origin)
  const onOtherSites = addresses.filter((address) => !onThisSite.includes(address))
  if (addresses.length === 0) return null
  return (
    <>
      {onThisSite.length > 0 && <h4>{title}</h4>}
      {onThisSite.map((address) => (
        <div className="media" key={address}>
          {children(address, nameOf(address))}
        </div>
      ))}
      <Links title={onThisSite.length > 0 ? '' : title} addresses={onOtherSites} note={note} />
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
            <ExternalLink to={address}>{address}</ExternalLink>
          </li>
        ))}
      </ul>
    </>
  )
}

function ExternalLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** Returns the last part of a URL, as the accessible name of the media. */
const nameOf = (address: string): string => new URL(address).pathname.split('/').at(-1) || address
