/**
 * A text box that searches records and chooses one, as an accessible combobox.
 *
 *   SearchSelect ──▶ useOptions ──▶ useQuery     one live query per search text, 200 ms after the last key press
 *        └────────▶ OptionList                   the options, or the reason why there are none
 *
 * Focus stays in the text box. The arrow keys, Home and End move through the options. Enter chooses an option. Escape
 * closes the list or, if it is closed, clears the choice. A status element announces the number of options and the
 * choice to screen readers.
 */
export { SearchSelect, type SearchSelectProps } from './search-select.tsx'
export type { Option } from './use-options.ts'
