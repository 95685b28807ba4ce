export { type DevtoolsOptions, openDevtools } from './open.ts'
