export { Widget } from './widget.ts'
