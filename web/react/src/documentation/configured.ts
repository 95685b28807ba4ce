import { memberOf } from '../page/widget.ts'

/** The widget that the operator lets show all documentation; undefined when there is none. Asked once. */
export function documentationWidget(url: string): Promise<number | undefined> {
  let asked = configured.get(url)
  if (asked === undefined) {
    asked = ask(url)
    asked.catch(() => configured.delete(url))
    configured.set(url, asked)
  }
  return asked
}

const configured = new Map<string, Promise<number | undefined>>()

async function ask(url: string): Promise<number | undefined> {
  const answer = await fetch(new URL('/api/v1/config', url))
  const json: unknown = answer.ok ? await answer.json() : undefined
  const id = memberOf(memberOf(json, 'config'), 'documentationWidget')
  return typeof id === 'number' && id > 0 ? id : undefined
}
