export { DocumentationButton, type DocumentationProps } from './button.tsx'
