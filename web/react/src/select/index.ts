export { SearchSelect, type SearchSelectProps } from './search-select.tsx'
export type { Option } from './use-options.ts'
