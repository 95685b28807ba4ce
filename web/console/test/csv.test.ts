import { expect, test } from 'vitest'
import { csvLine } from '../src/model/csv.ts'

test.each(['=1+1', '+1+1', '@SUM(A1)', "-1+cmd|'/C calc'!A0", '-A1', '\t=1+1'])(
  '%j is written to an exported file as text',
  (text) => {
    expect(csvLine([text])).toBe(`'${text}\r\n`)
  },
)

test('numbers, quotes and lines stay unchanged', () => {
  expect(csvLine(['-1.5', '-1,234.50', '1e-3', 'a "b"', 'two\nlines', '2026-01-31'])).toBe(
    '-1.5,"-1,234.50",1e-3,"a ""b""","two\nlines",2026-01-31\r\n',
  )
})
