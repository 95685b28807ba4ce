import { idIn, listIn, memberOf, textIn } from '../page/widget.ts'

/** A piece of what is written about a widget. Empty text means that it says nothing. */
export interface Entry {
  readonly id: number
  /** "", `api`, `function` or `imgAndLink`. */
  readonly type: string
  readonly text: string
  readonly docTitle: string
  /** HTML. The rest is plain text. */
  readonly content: string
  readonly creatorEmail: string
  readonly createdBy: string
  readonly language: string
  readonly return: string
  readonly codeEditor: string
  readonly method: string
  readonly methodUrl: string
  readonly authType: string
  readonly apiScript: string
  readonly apiBody: string
  /** What authors noted to sign in with is never told, only that they did. */
  readonly hasUsername: boolean
  readonly hasPassword: boolean
  readonly hasBearerToken: boolean
  readonly jsonList: readonly { readonly key: string; readonly value: string }[]
  readonly docUrls: readonly string[]
  readonly imageUrls: readonly string[]
  readonly videoLinks: readonly string[]
}

/** Reads entries out of JSON that may be anything. */
export const readEntries = (json: unknown): readonly Entry[] => listIn(json, 'entries').map(read)

function read(json: unknown): Entry {
  const text = (key: string) => textIn(json, key)
  const says = (key: string) => memberOf(json, key) === true
  const addresses = (key: string) => listIn(json, key).filter(isWebAddress)
  return {
    id: idIn(json),
    type: text('type'),
    text: text('text'),
    docTitle: text('docTitle'),
    content: text('content'),
    creatorEmail: text('creatorEmail'),
    createdBy: isWebAddress(text('createdBy')) ? text('createdBy') : '',
    language: text('language'),
    return: text('return'),
    codeEditor: text('codeEditor'),
    method: text('method'),
    methodUrl: text('methodUrl'),
    authType: text('authType'),
    apiScript: text('apiScript'),
    apiBody: text('apiBody'),
    hasUsername: says('hasUsername'),
    hasPassword: says('hasPassword'),
    hasBearerToken: says('hasBearerToken'),
    jsonList: listIn(json, 'jsonList').map((pair) => ({
      key: textIn(pair, 'key'),
      value: textIn(pair, 'value'),
    })),
    docUrls: addresses('docUrls'),
    imageUrls: addresses('imageUrls'),
    videoLinks: addresses('videoLinks'),
  }
}

const isWebAddress = (address: unknown): address is string =>
  typeof address === 'string' && /^https?:\/\//i.test(address) && URL.canParse(address)
