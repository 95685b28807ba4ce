/**
 * A text box that searches records and chooses one, as an accessible combobox.
 *
 *   SearchSelect ──▶ useOptions ──▶ useQuery     one live query per search text, 200 ms after the last key press
 *        └────────▶ OptionList                   the options, or the reason why there are none
 *
 * Focus stays in the text box. Its keys: arrow keys, Home and End move through the options, Enter chooses, Escape
 * closes the list and then clears the choice. A status element announces the number of options and the choice to screen
 * readers.
 */
export { SearchSelect, type SearchSelectProps } from './search-select.tsx'
export type { Option } from './use-options.ts'
