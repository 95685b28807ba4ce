import { formatQuestion, type WireQuery } from '../question/wire.ts'

/** Returns the command that sends a query, for a POSIX shell. */
export function curlOf(query: WireQuery, origin: string): string {
  const body = formatQuestion({ outputFormat: 1, ...query }).replaceAll("'", `'\\''`)
  return [
    `curl -s ${origin}/api/freeschema-query \\`,
    '  -H "Authorization: Bearer $WEFT_TOKEN" \\',
    `  -d '${body}'`,
    '',
  ].join('\n')
}
