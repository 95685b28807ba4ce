export { logCalls } from './log-calls.ts'
export type { Level } from './log-queue.ts'
export { createLogger, type Logger, type LoggerOptions } from './logger.ts'
