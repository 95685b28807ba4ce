import { idIn, listIn, memberOf, textIn } from '../stored/json.ts'

/** An entry of the documentation of a widget. An empty string means that the field is not set. */
export interface Entry {
  readonly id: number
  /** "", `api`, `function` or `imgAndLink`. */
  readonly type: string
  readonly text: string
  readonly docTitle: string
  /** HTML. All other fields are plain text. */
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
  /**
   * `hasUsername`, `hasPassword` and `hasBearerToken` report whether the author stored a user name, a password and a
   * token. The server never sends these credentials.
   */
  readonly hasUsername: boolean
  readonly hasPassword: boolean
  readonly hasBearerToken: boolean
  readonly jsonList: readonly { readonly key: string; readonly value: string }[]
  readonly docUrls: readonly string[]
  readonly imageUrls: readonly string[]
  readonly videoLinks: readonly string[]
}

/** Reads entries from JSON of unknown shape. */
export const readEntries = (json: unknown): readonly Entry[] =>
  listIn(json, 'entries').map(readEntry)

function readEntry(json: unknown): Entry {
  const text = (key: string) => textIn(json, key)
  const flag = (key: string) => memberOf(json, key) === true
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
    hasUsername: flag('hasUsername'),
    hasPassword: flag('hasPassword'),
    hasBearerToken: flag('hasBearerToken'),
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
