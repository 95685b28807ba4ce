export { logCalls } from './calls.ts'
export type { Level } from './level.ts'
export { createLogger, type Logger, type LoggerOptions } from './logger.ts'
